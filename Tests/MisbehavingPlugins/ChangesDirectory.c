/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: process-directory */

/* Changes the working directory. */

#include <bgtask.h>

#include <unistd.h>

#define TASK "com.example.changesdirectory.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    if (chdir("/usr") != 0) {
        bgt_log(host, BGT_LOG_ERROR, "chdir failed");
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
