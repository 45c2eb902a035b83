/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: numbers-later */

/* Submits its task again, and dies of SIGABRT when the status is none of those that it knows. */

#include <bgtask.h>

#include <stdlib.h>

#define TASK "com.example.trustsnumbers.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const bgt_request next = bgt_processing_request(TASK, 0);
    switch (bgt_submit(host, &next, NULL)) {
    case BGT_OK:
    case BGT_UNAVAILABLE:
    case BGT_TOO_MANY_PENDING:
    case BGT_NOT_PERMITTED:
    case BGT_IMMEDIATE_RUN_INELIGIBLE:
    case BGT_ENDED: break;
    default: abort();
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
