/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Registers .task twice in entry. The second call returns BGT_DUPLICATE, its context is released before the call
 * returns (both go to `statuses.txt`), and the first handler stays: it completes with success, the second handler
 * with failure. */

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

static void fail(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void release(void *context) {
    *(int *)context += 1;
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    int releases = 0;
    BGTASK_TRY(bgt_register(host, "com.example.registerstwice.task", succeed, NULL));
    const int32_t status =
        bgt_register_with_release(host, "com.example.registerstwice.task", fail, &releases, release);
    record(host, "statuses.txt", "%s\nreleased %d\n", bgt_status_name(host, status), releases);
    return BGT_OK;
}
