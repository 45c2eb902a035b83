/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Stops its own process with SIGSTOP: none of its threads runs any more, not even the runner's timer. The host's
 * own timer kills it at deadline plus grace period. */

#include <bgtask.h>

#include <signal.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host, (void)task;
    raise(SIGSTOP);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.stopsitself.task", run, NULL));
    return BGT_OK;
}
