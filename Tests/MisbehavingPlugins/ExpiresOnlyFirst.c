/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: expire-all-in-batch; tasks: one two */

/* Of several tasks that expire in one launch it completes the first one only. A task that does not expire is completed
 * after 200 ms. */

#include <bgtask.h>

#include <stdatomic.h>
#include <unistd.h>

static atomic_int expired;

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    for (int step = 0; step < 40; step++) {
        if (bgt_is_expiring(host, task)) {
            if (atomic_fetch_add(&expired, 1) == 0) {
                bgt_complete(host, task, BGT_OUTCOME_FAILURE);
            }
            return;
        }
        usleep(5000);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, "com.example.expiresonlyfirst.one", run, NULL));
    return bgt_register(host, "com.example.expiresonlyfirst.two", run, NULL);
}
