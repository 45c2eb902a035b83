/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: setting-missing; settings: mode=fast */

/* Uses a setting without a look at the status: without the setting it dies of SIGABRT. */

#include <bgtask.h>

#include <stdlib.h>
#include <string.h>

#define TASK "com.example.trustssetting.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char mode[16] = "";
    (void)host->setting(host, "mode", mode, sizeof mode, NULL);
    if (strcmp(mode, "fast") != 0) {
        abort();
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
