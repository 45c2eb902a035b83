/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: event-each */

/* Receives events and completes none. */

#include <bgtask.h>

#define TASK "com.example.ignoresevents.task"

static void ignore(void *context, const bgt_host *host, bgt_task event) {
    (void)context, (void)host, (void)event;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    plugin->receive = ignore;
    return bgt_register(host, TASK, run, NULL);
}
