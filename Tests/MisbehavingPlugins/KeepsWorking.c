/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: expire-stops-work */

/* Its expiration handler completes the task, but the handler goes on until its process ends. A task that does not expire
 * is completed after 200 ms. */

#include <bgtask.h>

#include <unistd.h>

#define TASK "com.example.keepsworking.task"

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)reason;
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, expire, NULL);
    for (int step = 0; step < 40 || bgt_is_expiring(host, task); step++) {
        usleep(5000);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
