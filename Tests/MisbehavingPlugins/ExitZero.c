/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: process-not-ended */

/* Ends the process with exit(0) in its handler. The host records an exit without completion, an interruption that
 * charges the task. */

#include <bgtask.h>

#include <stdlib.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host, (void)task;
    exit(0);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.exitzero.task", run, NULL));
    return BGT_OK;
}
