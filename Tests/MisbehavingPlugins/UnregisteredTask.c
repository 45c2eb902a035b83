/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Registers .other, but no handler for .task, though both are permitted. The host consumes .task as not-registered,
 * blames the plugin, and runs the other tasks. */

#include <bgtask.h>

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.unregisteredtask.other", succeed, NULL));
    return BGT_OK;
}
