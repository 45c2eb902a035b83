/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A plugin whose .task works for 200 ms, completes when it expires, and ignores expirations with the reason IGNORED: then
 * it never completes. The including file defines TASK and IGNORED. */

#include <bgtask.h>

#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    bgt_task_info info = {.size = sizeof info};
    (void)context;
    for (int step = 0; step < 40; step++) {
        if (bgt_is_expiring(host, task)) {
            bgt_get_task_info(host, task, &info);
            if (info.expiration_reason == IGNORED) {
                return;
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
    return bgt_register(host, TASK, run, NULL);
}
