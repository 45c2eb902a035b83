/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: submit-permitted; modes: processing */

/* Submits a refresh request, although its manifest lacks the mode fetch. */

#include <bgtask.h>

#define TASK "com.example.submitswithoutmode.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const bgt_request next = bgt_refresh_request(TASK);
    (void)bgt_submit(host, &next, NULL);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
