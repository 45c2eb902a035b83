/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Records that the plugins here append to files in their containers, and that the tests read. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Appends formatted text to the file at `path`, and returns its open descriptor. */
static inline int append(const char *path, const char *format, va_list arguments) {
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    vdprintf(descriptor, format, arguments);
    return descriptor;
}

/* Appends formatted text to a file of the container, durably. The file's name has at most 30 bytes. */
static inline void record(const bgt_host *host, const char *file, const char *format, ...) {
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) {
        return;
    }
    strcat(strcat(path, "/"), file);
    va_list arguments;
    va_start(arguments, format);
    const int descriptor = append(path, format, arguments);
    va_end(arguments);
    fsync(descriptor);
    close(descriptor);
}

/* Appends formatted text to a file of the directory, without a call of the host and without waiting for the disk: the
 * text is also written after the end of the launch, when the host answers no calls. */
static inline void record_in(const char *directory, const char *file, const char *format, ...) {
    char path[4096 + 32];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    va_list arguments;
    va_start(arguments, format);
    const int descriptor = append(path, format, arguments);
    va_end(arguments);
    close(descriptor);
}

/* Appends a line with the name of a call and its status to `statuses.txt`. */
static inline void record_status(const bgt_host *host, const char *call, int32_t status) {
    record(host, "statuses.txt", "%s %s\n", call, bgt_status_name(host, status));
}

/* 1 when the container has a file named `release`, with which a test lets a task continue. */
static inline int is_released(const bgt_host *host) {
    char path[4096];
    return bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK &&
           access(strcat(path, "/release"), F_OK) == 0;
}
