/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: process-mask */

/* Blocks SIGUSR1 on the main thread, and does not restore the mask. */

#include <bgtask.h>

#include <signal.h>

#define TASK "com.example.changesmask.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    return bgt_register(host, TASK, run, NULL);
}
