/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: progress-reported; tasks: export.* */

/* A continued task that keeps reporting without progress: one of ten, sometimes less, repeatedly. At its expiration
 * it writes the reason to `stopped.txt` and completes. */

#include <bgtask.h>

#include "Records.h"
#include "RegistersLaunched.h"

#include <unistd.h>

static void pretend(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_progress(host, task, 1, 10);
    bgt_log(host, BGT_LOG_INFO, "standsstill has begun");
    for (int turn = 0; !bgt_is_expiring(host, task); turn++) {
        bgt_set_progress(host, task, turn % 2, 10);
        usleep(5000);
    }
    bgt_task_info info;
    bgt_get_task_info(host, task, &info);
    record(host, "stopped.txt", "%u\n", info.expiration_reason);
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) { return register_launched(host, pretend); }
