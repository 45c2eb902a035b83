/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Sets the interval of legacy fetch in entry, and completes each fetch. */

#include <bgtask.h>

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    return bgt_set_minimum_fetch_interval(host, 1);
}
