/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: process-not-ended */

/* Closes every descriptor that it did not open, the host's control channel among them, and completes without
 * effect. The host ends the launch: a closed channel means the end of its process. */

#include <bgtask.h>

#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    for (int descriptor = 0; descriptor < 1024; descriptor++) {
        close(descriptor);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.closesdescriptors.task", run, NULL));
    return BGT_OK;
}
