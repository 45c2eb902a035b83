/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: host-later */

/* Its entry accepts only a host table of the header's size. */

#include <bgtask.h>

#define TASK "com.example.needsexacthost.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    if (host->size != sizeof(bgt_host)) {
        return BGT_TOO_NEW;
    }
    return bgt_register(host, TASK, run, NULL);
}
