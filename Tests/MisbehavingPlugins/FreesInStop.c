/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: main-outlives-stop */

/* Frees in `stop` the state that run_main reads 25 ms later. By then the process of a launch has ended, except on a host
 * that lets threads run on. */

#include <bgtask.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct state {
    char name[32];
    volatile long *count;
    char title[960];
};

static long count;
static struct state *volatile state;
static atomic_int has_stopped;

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void run_main(void *context, const bgt_host *host) {
    (void)context, (void)host;
    while (!atomic_load(&has_stopped)) {
        usleep(1000);
    }
    usleep(25000);
    *state->count += 1;
}

static void stop(void *context, const bgt_host *host) {
    (void)context, (void)host;
    free(state);
    atomic_store(&has_stopped, 1);
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
