/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Never returns from its handler, makes no calls, has no expiration handler. The host kills it at deadline plus
 * grace period; the task is consumed as an overrun. */

#include <bgtask.h>

static volatile int forever = 1;

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host, (void)task;
    while (forever) {
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.loopinhandler.task", run, NULL));
    return BGT_OK;
}
