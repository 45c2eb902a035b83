/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: process-umask */

/* Changes the umask. */

#include <bgtask.h>

#include <sys/stat.h>

#define TASK "com.example.changesumask.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    umask(0);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
