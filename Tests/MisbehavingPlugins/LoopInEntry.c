/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: entry-in-time */

/* Never returns from entry. The deadline is armed already: the host kills it at deadline plus grace period;
 * entry-failed, one attempt charged. */

#include <bgtask.h>

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static volatile int forever = 1;

BGTASK_PLUGIN_ENTRY(host, plugin) {
    bgt_log(host, BGT_LOG_INFO, "entry runs");
    while (forever) {
    }
    BGTASK_TRY(bgt_register(host, "com.example.loopinentry.task", succeed, NULL));
    return BGT_OK;
}
