/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: process-handlers */

/* Replaces the handler of SIGTERM. */

#include <bgtask.h>

#include <signal.h>

#define TASK "com.example.changeshandlers.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    signal(SIGTERM, SIG_DFL);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
