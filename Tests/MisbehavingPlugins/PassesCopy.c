/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: host-pointer */

/* Passes the address of a copy of the host table, and NULL, in place of the pointer that entry received. */

#include <bgtask.h>

static bgt_host copy;

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host;
    bgt_log(&copy, BGT_LOG_INFO, "the host is a copy");
    copy.complete(NULL, task, BGT_OUTCOME_SUCCESS, NULL);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    copy = *host;
    return bgt_register(host, "com.example.passescopy.task", run, NULL);
}
