/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: register-in-entry; tasks: task late */

/* Registers the permitted .late after entry, from its handler. BGT_WRONG_PHASE, and the context is released before
 * the call returns; both go to `statuses.txt`. */

#include <bgtask.h>

#include "Records.h"

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void release(void *context) {
    *(int *)context += 1;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    int releases = 0;
    const int32_t status =
        bgt_register_with_release(host, "com.example.registerslate.late", succeed, &releases, release);
    record(host, "statuses.txt", "%s\nreleased %d\n", bgt_status_name(host, status), releases);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.registerslate.task", run, NULL));
    return BGT_OK;
}
