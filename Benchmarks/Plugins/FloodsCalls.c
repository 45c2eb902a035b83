/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * Calls submit from many threads, as fast as the host answers, until the process ends. Each request has its
 * earliest begin in a year and replaces the one before; with the setting `cancels` each is cancelled instead. The
 * setting `task` names the task. */
#include <bgtask.h>
#include <pthread.h>
#include <stddef.h>

/* More than the number of unanswered calls that a launch may have. */
enum { THREADS = 24 };

static const bgt_host *the_host;
static char name[256];
static int cancels;

static void *submit(void *unused) {
    (void)unused;
    bgt_request request = bgt_processing_request(name, 0);
    request.earliest_begin_ns = bgt_seconds_from_now(365 * 24 * 3600);
    while (bgt_submit(the_host, &request, NULL) != BGT_ENDED) {
        if (cancels) bgt_cancel(the_host, name);
    }
    return NULL;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)task;
    for (int index = 1; index < THREADS; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, submit, NULL) == 0) pthread_detach(thread);
    }
    (void)host;
    submit(NULL);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    the_host = host;
    char value[8];
    cancels = bgt_setting(host, "cancels", value, sizeof value, NULL) == BGT_OK;
    BGTASK_TRY(bgt_setting(host, "task", name, sizeof name, NULL));
    return bgt_register(host, name, run, NULL);
}
