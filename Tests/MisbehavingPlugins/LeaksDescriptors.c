/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: leak-per-task */

/* Opens a file in each task, and closes none. */

#include <bgtask.h>

#include <fcntl.h>

#define TASK "com.example.leaksdescriptors.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    (void)!open("/dev/null", O_RDONLY | O_CLOEXEC);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
