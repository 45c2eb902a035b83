/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: thread-kept */

/* Ends the thread that releases the context of its registration. Its task succeeds. */

#include <bgtask.h>

#include <pthread.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void release(void *context) {
    (void)context;
    pthread_exit(NULL);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register_with_release(host, "com.example.endsthreadinrelease.task", run, NULL, release);
}
