/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: features-withheld */

/* Its task uses the table of an optional feature without comparing its address with NULL. */

#include <bgtask.h>

#define TASK "com.example.trustsfeature.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const bgt_legacy_fetch *fetch = bgt_query(host, BGTASK_LEGACY_FETCH);
    fetch->set_minimum_interval(host, 3600, NULL);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
