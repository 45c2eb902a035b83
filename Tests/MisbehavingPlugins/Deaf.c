/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Says in the host's log that .task runs, in which attempt, and why it was told to stop; and does nothing about it:
 * it never completes. The host ends it at deadline + grace. */

#include <bgtask.h>

#include <stdio.h>

static void ignore(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)task;
    char line[64];
    snprintf(line, sizeof line, "deaf was told to stop, reason %u", reason);
    bgt_log(host, BGT_LOG_INFO, line);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info;
    if (bgt_set_expiration_handler(host, task, ignore, NULL) != BGT_OK ||
        bgt_get_task_info(host, task, &info) != BGT_OK) {
        return;
    }
    char line[512];
    snprintf(line, sizeof line, "deaf runs %s, attempt %u", info.identifier, info.attempt);
    bgt_log(host, BGT_LOG_INFO, line);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.deaf.task", run, NULL));
    return BGT_OK;
}
