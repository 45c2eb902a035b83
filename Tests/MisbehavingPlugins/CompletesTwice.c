/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Completes its task with success, then with failure. The first completion counts; the second returns
 * BGT_ALREADY_COMPLETED, and the journal names the violation. Both statuses go to `statuses.txt`. Submit .slow too:
 * in the same launch it keeps the process alive until they are written. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
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

static atomic_int is_written;

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const int32_t first = bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    const int32_t second = bgt_complete(host, task, BGT_OUTCOME_FAILURE);
    record(host, "statuses.txt", "%s\n%s\n", bgt_status_name(host, first), bgt_status_name(host, second));
    atomic_store(&is_written, 1);
}

static void wait_for_it(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    while (!atomic_load(&is_written) && !bgt_is_expiring(host, task)) {
        usleep(1000);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.completestwice.task", run, NULL));
    BGTASK_TRY(bgt_register(host, "com.example.completestwice.slow", wait_for_it, NULL));
    return BGT_OK;
}
