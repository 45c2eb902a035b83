/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: each of .refresh and .processing1 to .processing10 appends its identifier and submission number to
 * `ran.txt`, durably, before it completes with success. What the host acknowledged and what ran can so be compared
 * after any number of crashes. Identifiers that are not permitted are left out. Submits nothing. */

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

static int32_t register_if_permitted(const bgt_host *host, const char *identifier) {
    const int32_t status = bgt_register(host, identifier, run, NULL);
    return status == BGT_NOT_PERMITTED ? BGT_OK : status;
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(register_if_permitted(host, "com.example.recorder.refresh"));
    for (int number = 1; number <= 10; number++) {
        char identifier[64];
        snprintf(identifier, sizeof identifier, "com.example.recorder.processing%d", number);
        BGTASK_TRY(register_if_permitted(host, identifier));
    }
    return BGT_OK;
}
