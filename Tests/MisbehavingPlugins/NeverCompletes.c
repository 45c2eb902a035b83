/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: completes */

/* Its handler returns at once without a completion; the expiration handler does nothing. The launch lasts its whole
 * budget, then the host kills it at deadline plus grace period: an overrun. */

#include <bgtask.h>

static void ignore(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)host, (void)task, (void)reason;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, ignore, NULL);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.nevercompletes.task", run, NULL));
    return BGT_OK;
}
