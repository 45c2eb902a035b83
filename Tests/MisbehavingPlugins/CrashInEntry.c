/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: entry-succeeds */

/* Dies of SIGSEGV in entry, after its registration. The host drops the registration and charges an attempt:
 * entry-failed, with the signal. */

#include <bgtask.h>

/* The address is volatile, so that no compiler detects the null access. */
static void crash(void) {
    volatile uintptr_t nowhere = 0;
    *(volatile int *)nowhere = 1;
}

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.crashinentry.task", succeed, NULL));
    crash();
    return BGT_OK;
}
