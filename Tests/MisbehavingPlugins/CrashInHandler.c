/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-crash */

/* Dies of SIGSEGV on the thread of its handler. The host charges the task of that handler, relaunches it later, and
 * abandons it after three attempts. */

#include <bgtask.h>

/* The address is volatile, so that no compiler detects the null access. */
static void crash(void) {
    volatile uintptr_t nowhere = 0;
    *(volatile int *)nowhere = 1;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host, (void)task;
    crash();
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.crashinhandler.task", run, NULL));
    return BGT_OK;
}
