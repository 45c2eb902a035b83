/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: each of .refresh and .processing1 to .processing10 appends its identifier and submission number to
 * `ran.txt`, durably, before it completes with success. The acknowledged submissions can so be compared with the
 * runs after any number of crashes. Submits no requests. */

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
    bgt_task_info info;
    if (bgt_get_task_info(host, task, &info) == BGT_OK) {
        record(host, "ran.txt", "%s %llu\n", info.identifier, (unsigned long long)info.submission);
        bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    bgt_launch_info launch;
    BGTASK_TRY(bgt_get_launch_info(host, &launch));
    for (uint64_t index = 0; index < launch.identifier_count; index++) {
        BGTASK_TRY(bgt_register(host, launch.identifiers[index], run, NULL));
    }
    return BGT_OK;
}
