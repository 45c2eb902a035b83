/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: stop-returns */

/* Completes its task, and does not return from `stop`. */

#include <bgtask.h>

#include <unistd.h>

#define TASK "com.example.loopsinstop.task"

static void stop(void *context, const bgt_host *host) {
    (void)context, (void)host;
    for (;;) {
        pause();
    }
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    plugin->stop = stop;
    return bgt_register(host, TASK, run, NULL);
}
