/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A whole plugin, and a bad one: it is told that its time is up, and stays. */

#include <bgtask.h>
#include <unistd.h>

static void stay(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)task;
    bgt_log(host, BGT_LOG_INFO, "here I am, and here I stay");
    for (;;) {
        sleep(1); /* a good plugin asks bgt_is_expiring here, and ends with bgt_complete */
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    return bgt_register(host, "com.example.stubborn.stay", stay, NULL);
}
