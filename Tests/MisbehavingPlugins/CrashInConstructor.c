/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: entry-succeeds */

/* Dies of SIGSEGV while it is loaded, before entry. The host records a crash inside entry: entry-failed with the
 * signal, one attempt charged to each task of the launch. */

#include <bgtask.h>

/* The address is volatile, so that no compiler detects the null access. */
static void crash(void) {
    volatile uintptr_t nowhere = 0;
    *(volatile int *)nowhere = 1;
}

__attribute__((__constructor__)) static void construct(void) {
    crash();
}

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.crashinconstructor.task", succeed, NULL));
    return BGT_OK;
}
