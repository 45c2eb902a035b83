/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* warns: no-late-calls */

/* Starts a thread in its handler that asks for a setting every millisecond, and never ends it. */

#include <bgtask.h>

#include <pthread.h>
#include <unistd.h>

static const bgt_host *the_host;

static void *ask(void *context) {
    for (;;) {
        (void)bgt_setting(the_host, "interval", NULL, 0, NULL);
        usleep(1000);
    }
    return context;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    pthread_t thread;
    if (pthread_create(&thread, NULL, ask, NULL) == 0) {
        pthread_detach(thread);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    the_host = host;
    return bgt_register(host, "com.example.callsafterstop.task", run, NULL);
}
