/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: entry-succeeds */

/* Exits while it is loaded with an exit code of the runner, before entry: a failure of the plugin, not of the host. */

#include <bgtask.h>
#include <unistd.h>

__attribute__((__constructor__)) static void construct(void) {
    _exit(4);
}

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.exitsinconstructor.task", succeed, NULL));
    return BGT_OK;
}
