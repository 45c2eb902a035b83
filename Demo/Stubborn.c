/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A complete plugin with a defect: it ignores the expiration of its task. */

#include <bgtask.h>
#include <unistd.h>

static void stay(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)task;
    bgt_log(host, BGT_LOG_INFO, "here I am, and here I stay");
    for (;;) {
        sleep(1); /* a correct plugin calls bgt_is_expiring here, and then bgt_complete */
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    return bgt_register(host, "com.example.stubborn.stay", stay, NULL);
}
