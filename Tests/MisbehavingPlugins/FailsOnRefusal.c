/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: entry-survives-refusal */

/* Submits in entry, and returns the status of the submission. */

#include <bgtask.h>

#define TASK "com.example.failsonrefusal.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    const bgt_request next = bgt_processing_request(TASK, 0);
    BGTASK_TRY(bgt_register(host, TASK, run, NULL));
    return bgt_submit(host, &next, NULL);
}
