/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: completes-once */

/* Completes every event twice. Its task is completed once. */

#include <bgtask.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    return bgt_register(host, "com.example.eventcompletestwice.task", run, NULL);
}
