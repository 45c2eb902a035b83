/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: completes-own */

/* Completes an expired task after an invented number. A task that does not expire succeeds. */

#include <bgtask.h>

#include <unistd.h>

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)reason;
    bgt_complete(host, task + 0x100000, BGT_OUTCOME_FAILURE);
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    (void)bgt_set_expiration_handler(host, task, expire, NULL);
    for (int step = 0; step < 100 && !bgt_is_expiring(host, task); step++) {
        usleep(2000);
    }
    if (!bgt_is_expiring(host, task)) {
        bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.expiresforeign.task", run, NULL);
}
