/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: main-outlives-stop */

/* Frees in `stop` the state that run_main reads. */

#include <bgtask.h>

#include <stdlib.h>
#include <unistd.h>

struct state {
    char name[32];
    volatile long *count;
    char title[32];
};

static long count;
static struct state *volatile state;

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void run_main(void *context, const bgt_host *host) {
    (void)context, (void)host;
    for (;;) {
        *state->count += 1;
        usleep(100);
    }
}

static void stop(void *context, const bgt_host *host) {
    (void)context, (void)host;
    free(state);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    state = calloc(1, sizeof *state);
    if (state == NULL) {
        return BGT_UNAVAILABLE;
    }
    state->count = &count;
    plugin->run_main = run_main;
    plugin->stop = stop;
    return bgt_register(host, "com.example.freesinstop.task", run, NULL);
}
