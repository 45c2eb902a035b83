/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: process-streams */

/* One of its threads locks stdout and never unlocks it. The task completes all the same; output that libc still
 * buffers cannot be written, so the launch ends without it, and the journal blames the plugin. */

#include <bgtask.h>

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_held;

static void *hold(void *context) {
    flockfile(stdout);
    pthread_mutex_lock(&lock);
    is_held = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    for (;;) {
        pause();
    }
    return context;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    pthread_t thread;
    if (pthread_create(&thread, NULL, hold, NULL) == 0) {
        pthread_mutex_lock(&lock);
        while (!is_held) {
            pthread_cond_wait(&changed, &lock);
        }
        pthread_mutex_unlock(&lock);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.holdsstreamlock.task", run, NULL));
    return BGT_OK;
}
