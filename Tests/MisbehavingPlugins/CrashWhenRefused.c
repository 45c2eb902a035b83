/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: register-refused-survives */

/* Dies of SIGABRT in entry when its registration is refused. */

#include <bgtask.h>

#include <stdlib.h>

#define TASK "com.example.crashwhenrefused.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    if (bgt_register(host, TASK, run, NULL) != BGT_OK) {
        abort();
    }
    return BGT_OK;
}
