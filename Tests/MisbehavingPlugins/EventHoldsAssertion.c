/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: assertion-ended */

/* Begins an assertion at an event, and never ends it. Its task begins none. */

#include <bgtask.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_assertion assertion;
    bgt_begin_assertion(host, "forever", NULL, NULL, NULL, &assertion);
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    return bgt_register(host, "com.example.eventholdsassertion.task", run, NULL);
}
