/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Registers .other, which its manifest must not permit. The status BGT_NOT_PERMITTED goes to `statuses.txt`, and
 * the journal has a line; .task runs all the same. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void record(const bgt_host *host, const char *file, const char *format, ...) {
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) {
        return;
    }
    strcat(strcat(path, "/"), file);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    va_list arguments;
    va_start(arguments, format);
    vdprintf(descriptor, format, arguments);
    va_end(arguments);
    fsync(descriptor);
    close(descriptor);
}

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    const int32_t status = bgt_register(host, "com.example.registersunpermitted.other", succeed, NULL);
    record(host, "statuses.txt", "%s\n", bgt_status_name(host, status));
    return bgt_register(host, "com.example.registersunpermitted.task", succeed, NULL);
}
