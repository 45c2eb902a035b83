/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: cursor-of-open-task */

/* Moves the cursor of a task that it did not receive, and that of its own task after the completion. Each call returns a
 * status and has no effect. */

#include <bgtask.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    (void)bgt_checkpoint(host, task + 0x100000, "row 1", 5, 0);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    (void)bgt_checkpoint(host, task, "row 2", 5, BGT_CHECKPOINT_DURABLE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.movesforeigncursors.task", run, NULL);
}
