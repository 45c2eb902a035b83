/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: expire-while-working */

/* Works for 200 ms, and dies of SIGABRT when its task expires because external power is lost. */

#include <bgtask.h>

#include <stdlib.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info = {.size = sizeof info};
    for (int step = 0; step < 40; step++) {
        if (bgt_is_expiring(host, task)) {
            bgt_get_task_info(host, task, &info);
            if (info.expiration_reason == BGT_EXPIRED_EXTERNAL_POWER_LOST) {
                abort();
            }
            bgt_complete(host, task, BGT_OUTCOME_FAILURE);
            return;
        }
        usleep(5000);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.crashwhenpowerlost.task", run, NULL);
}
