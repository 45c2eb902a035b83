/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Writes zeros over the host's table, then calls the host. The table is read-only: the process dies of SIGSEGV at
 * the first byte, on the thread of the task, which is charged for it. */

#include <bgtask.h>

#include <string.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    memset((void *)(uintptr_t)host, 0, sizeof *host);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.overwritestable.task", run, NULL));
    return BGT_OK;
}
