/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: appends its launch's number to `ran.txt` and completes with success at once. Must run whatever
 * other plugins do. Submits no requests. */

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

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_launch_info launch;
    if (bgt_get_launch_info(host, &launch) == BGT_OK) {
        record(host, "ran.txt", "%llu\n", (unsigned long long)launch.launch);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.neighbour.task", run, NULL));
    return BGT_OK;
}
