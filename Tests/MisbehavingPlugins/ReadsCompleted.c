/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: task-info-copied */

/* Reads the identifier of its task after the completion. */

#include <bgtask.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info;
    const int32_t status = bgt_get_task_info(host, task, &info);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    if (status == BGT_OK && info.identifier[0] != 'c') {
        bgt_log(host, BGT_LOG_ERROR, "the identifier has changed");
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.readscompleted.task", run, NULL);
}
