/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Completes its task, and then ends the handler's thread instead of returning. */

#include <bgtask.h>

#include <pthread.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    pthread_exit(NULL);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.exitsthread.task", run, NULL);
}
