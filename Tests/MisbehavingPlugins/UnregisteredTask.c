/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Registers nothing, though .task is permitted; if .other is permitted too, it registers that. The host consumes
 * .task as not-registered, blames the plugin, and runs the neighbours. */

#include <bgtask.h>

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    const int32_t status = bgt_register(host, "com.example.unregisteredtask.other", succeed, NULL);
    return status == BGT_NOT_PERMITTED ? BGT_OK : status;
}
