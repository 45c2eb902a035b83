/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: appends its launch's number to `ran.txt` and completes with success at once. Must run whatever
 * other plugins do. Submits no requests. */

#include <bgtask.h>

#include "Records.h"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_launch_info launch;
    if (bgt_get_launch_info(host, &launch) == BGT_OK) {
        record(host, "ran.txt", "%llu\n", (unsigned long long)launch.launch);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.neighbour.task", run, NULL));
    return BGT_OK;
}
