/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Works until its expiration, as it should: its expiration handler writes the number of the reason to `expired.txt`
 * and completes with failure. The host records an orderly expiration, without a kill. */

#include <bgtask.h>

#include "Records.h"

#include <unistd.h>

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context;
    record(host, "expired.txt", "%u\n", reason);
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

/* Blocks its queue's thread throughout: expiration has a thread that no handler can block. */
static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, expire, NULL);
    while (!bgt_is_expiring(host, task)) {
        usleep(1000);
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.obedient.task", run, NULL));
    return BGT_OK;
}
