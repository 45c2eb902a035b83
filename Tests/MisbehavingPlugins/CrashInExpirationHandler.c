/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Works until its expiration, and dies of SIGSEGV in its expiration handler. An expired task is consumed whatever
 * its process does then: it is not requeued. */

#include <bgtask.h>

#include <unistd.h>

/* The address is volatile, so that no compiler detects the null access. */
static void crash(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)host, (void)task, (void)reason;
    volatile uintptr_t nowhere = 0;
    *(volatile int *)nowhere = 1;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler(host, task, crash, NULL);
    for (;;) {
        pause();
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.crashinexpirationhandler.task", run, NULL));
    return BGT_OK;
}
