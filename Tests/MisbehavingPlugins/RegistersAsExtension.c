/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: extension-registers-nothing; role: extension */

/* An extension that registers a handler. BGT_WRONG_ROLE; its triggers are completed all the same. */

#include <bgtask.h>

#define TASK "com.example.registersasextension.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    plugin->receive = run;
    const int32_t status = bgt_register(host, TASK, run, NULL);
    return status == BGT_WRONG_ROLE ? BGT_OK : BGT_INVALID;
}
