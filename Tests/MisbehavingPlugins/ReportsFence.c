/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: each task logs the item and the fence of its claim, which are 0 for a task that is not of a fleet. */

#include <bgtask.h>
#include <stdio.h>

#include "RegistersLaunched.h"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info;
    if (bgt_get_task_info(host, task, &info) == BGT_OK) {
        char line[400];
        snprintf(line, sizeof line, "%s: item %lld, fence %lld", info.identifier, (long long)info.fleet_item,
                 (long long)info.fence);
        bgt_log_task(host, task, BGT_LOG_INFO, line);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return register_launched(host, run);
}
