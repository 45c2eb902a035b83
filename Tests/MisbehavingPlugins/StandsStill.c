/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A continued task that keeps reporting without progress: one of ten, sometimes less, repeatedly. At its expiration
 * it writes the reason to `stopped.txt` and completes. */

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

static void pretend(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_progress(host, task, 1, 10);
    bgt_log(host, BGT_LOG_INFO, "standsstill has begun");
    for (int turn = 0; !bgt_is_expiring(host, task); turn++) {
        bgt_set_progress(host, task, turn % 2, 10);
        usleep(5000);
    }
    bgt_task_info info;
    bgt_get_task_info(host, task, &info);
    record(host, "stopped.txt", "%u\n", info.expiration_reason);
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

/* Composed identifiers are known before entry: the launch was started for them. */
static int32_t register_launched(const bgt_host *host, bgt_handler handler) {
    bgt_launch_info launch;
    BGTASK_TRY(bgt_get_launch_info(host, &launch));
    for (uint64_t index = 0; index < launch.identifier_count; index++) {
        BGTASK_TRY(bgt_register(host, launch.identifiers[index], handler, NULL));
    }
    return BGT_OK;
}

BGTASK_PLUGIN_ENTRY(host, plugin) { return register_launched(host, pretend); }
