/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: completes-once; tasks: task slow */

/* Completes its task with success, then with failure. The first completion counts; the second returns
 * BGT_ALREADY_COMPLETED, and the journal names the violation. Both statuses go to `statuses.txt`. Submit .slow too:
 * in the same launch it keeps the process alive until they are written. */

#include <bgtask.h>

#include "Records.h"

#include <stdatomic.h>
#include <unistd.h>

static atomic_int is_written;

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const int32_t first = bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    const int32_t second = bgt_complete(host, task, BGT_OUTCOME_FAILURE);
    record(host, "statuses.txt", "%s\n%s\n", bgt_status_name(host, first), bgt_status_name(host, second));
    atomic_store(&is_written, 1);
}

static void wait_for_it(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    while (!atomic_load(&is_written) && !bgt_is_expiring(host, task)) {
        usleep(1000);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.completestwice.task", run, NULL));
    BGTASK_TRY(bgt_register(host, "com.example.completestwice.slow", wait_for_it, NULL));
    return BGT_OK;
}
