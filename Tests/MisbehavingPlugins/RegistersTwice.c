/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: register-once */

/* Registers .task twice in entry. The second call returns BGT_DUPLICATE, its context is released before the call
 * returns (both go to `statuses.txt`), and the first handler stays: it completes with success, the second handler
 * with failure. */

#include <bgtask.h>

#include "Records.h"

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void fail(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void release(void *context) {
    *(int *)context += 1;
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    int releases = 0;
    BGTASK_TRY(bgt_register(host, "com.example.registerstwice.task", succeed, NULL));
    const int32_t status =
        bgt_register_with_release(host, "com.example.registerstwice.task", fail, &releases, release);
    record(host, "statuses.txt", "%s\nreleased %d\n", bgt_status_name(host, status), releases);
    return BGT_OK;
}
