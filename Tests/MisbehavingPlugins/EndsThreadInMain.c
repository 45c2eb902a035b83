/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: thread-kept */

/* Ends the main thread in run_main. Its task succeeds. */

#include <bgtask.h>

#include <pthread.h>
#include <semaphore.h>

static sem_t began;

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    /* The host does not call run_main once the launch stops. */
    sem_wait(&began);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void run_main(void *context, const bgt_host *host) {
    (void)context, (void)host;
    sem_post(&began);
    pthread_exit(NULL);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    sem_init(&began, 0, 0);
    plugin->run_main = run_main;
    return bgt_register(host, "com.example.endsthreadinmain.task", run, NULL);
}
