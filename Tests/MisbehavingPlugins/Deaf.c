/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Logs that .task runs, its attempt, and the reason of its expiration, and otherwise ignores the expiration: it
 * never completes. The host kills it at deadline plus grace period. */

#include <bgtask.h>

#include <stdio.h>

static void ignore(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)task;
    char line[64];
    snprintf(line, sizeof line, "deaf expired, reason %u", reason);
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
