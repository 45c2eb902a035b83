/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: owns the main thread from the end of entry until `stop`, which is called on another thread. .task
 * completes once run_main has begun. `main.txt` gets: run_main main=1, stop main=0, run_main returns. */

#define _GNU_SOURCE /* gettid */
#include <bgtask.h>

#include "Records.h"

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int has_begun, must_return, has_returned;

static void set(int *flag) {
    pthread_mutex_lock(&lock);
    *flag = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void await(const int *flag) {
    pthread_mutex_lock(&lock);
    while (!*flag) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void run_main(void *context, const bgt_host *host) {
    (void)context;
    record(host, "main.txt", "run_main main=%d\n", gettid() == getpid());
    set(&has_begun);
    await(&must_return);
    record(host, "main.txt", "run_main returns\n");
    set(&has_returned);
}

static void stop(void *context, const bgt_host *host) {
    (void)context;
    record(host, "main.txt", "stop main=%d\n", gettid() == getpid());
    set(&must_return);
    await(&has_returned);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    await(&has_begun);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->run_main = run_main;
    plugin->stop = stop;
    BGTASK_TRY(bgt_register(host, "com.example.runsmain.task", run, NULL));
    return BGT_OK;
}
