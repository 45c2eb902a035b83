/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: thread-kept */

/* Ends the main thread in run_main. Its task succeeds. */

#include <bgtask.h>

#include <pthread.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void run_main(void *context, const bgt_host *host) {
    (void)context, (void)host;
    pthread_exit(NULL);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->run_main = run_main;
    return bgt_register(host, "com.example.endsthreadinmain.task", run, NULL);
}
