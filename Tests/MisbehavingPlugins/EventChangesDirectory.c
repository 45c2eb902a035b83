/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: process-directory */

/* Changes the working directory at an event. Its task leaves the directory unchanged. */

#include <bgtask.h>

#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    if (chdir("/usr") != 0) {
        bgt_log(host, BGT_LOG_ERROR, "chdir failed");
    }
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    return bgt_register(host, "com.example.eventchangesdirectory.task", run, NULL);
}
