/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: log-within-limits */

/* Writes more lines at once than the log accepts. */

#include <bgtask.h>

#define TASK "com.example.floodslogonce.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    for (int line = 0; line < 5000; line++) {
        bgt_log(host, BGT_LOG_INFO, "one of many lines");
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
