/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Works until its expiration. The expiration handler submits the task again, for tomorrow, and completes it; the
 * interrupted handler then completes it, too, as on Apple's platforms. The statuses go to `statuses.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <stdatomic.h>

#define TASK "com.example.submitswhenexpiring.task"

static atomic_int is_over;

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)reason;
    bgt_request next = bgt_processing_request(TASK, 0);
    next.earliest_begin_ns = bgt_seconds_from_now(24 * 60 * 60);
    record_status(host, "submit", bgt_submit(host, &next, NULL));
    record_status(host, "complete", bgt_complete(host, task, BGT_OUTCOME_FAILURE));
    atomic_store(&is_over, 1);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, expire, NULL);
    while (!atomic_load(&is_over)) {
        usleep(1000);
    }
    record_status(host, "again", bgt_complete(host, task, BGT_OUTCOME_FAILURE));
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
