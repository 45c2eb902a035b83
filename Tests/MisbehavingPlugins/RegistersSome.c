/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: register-all; tasks: task other */

/* Registers a handler for .task, and none for the permitted .other. */

#include <bgtask.h>

#define TASK "com.example.registerssome.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
