/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-threads */

/* Lets a thread of its own do the work, and dies of SIGABRT when the thread cannot be started. */

#include <bgtask.h>

#include <pthread.h>
#include <stdlib.h>

static void *work(void *context) { return context; }

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0) {
        abort();
    }
    pthread_join(thread, NULL);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.crashwithoutthreads.task", run, NULL);
}
