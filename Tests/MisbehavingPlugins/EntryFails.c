/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: entry-succeeds */

/* Registers, then returns -7 from entry. The host drops the registration: entry-failed with -7 in the journal, one
 * attempt charged, no task delivered, `stop` not called. */

#include <bgtask.h>

static void stop(void *context, const bgt_host *host) {
    (void)context;
    bgt_log(host, BGT_LOG_ERROR, "stop was called although entry failed");
}

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->stop = stop;
    BGTASK_TRY(bgt_register(host, "com.example.entryfails.task", succeed, NULL));
    return -7;
}
