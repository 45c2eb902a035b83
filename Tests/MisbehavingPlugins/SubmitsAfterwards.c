/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Completes .task, and only then submits it again, for tomorrow. The setting `from` selects the thread: the
 * handler's own; `thread`, which the handler starts for both; `later-thread`, which the handler starts after the
 * completion, and which computes for 5 ms before its first call of the host. The setting `times` is the number of
 * consecutive submissions, one by default; the status of each goes to `statuses.txt`. The plugin asks for a quiet period,
 * because it works on threads of its own. */

#include <bgtask.h>

#include "Records.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TASK "com.example.submitsafterwards.task"

/* Read in entry: after the end of the launch the host answers no calls. */
static char directory[4096];
static char from[16], times[16] = "1";

static const bgt_host *the_host;

static void submit(void) {
    for (int count = atoi(times); count > 0; count--) {
        bgt_request next = bgt_processing_request(TASK, 0);
        next.earliest_begin_ns = bgt_seconds_from_now(24 * 60 * 60);
        record_in(directory, "statuses.txt", "%s\n", bgt_status_name(the_host, bgt_submit(the_host, &next, NULL)));
    }
}

static void *complete_and_submit(void *task) {
    bgt_complete(the_host, (bgt_task)(uintptr_t)task, BGT_OUTCOME_SUCCESS);
    submit();
    return NULL;
}

static void *compute_and_submit(void *context) {
    struct timespec used;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    } while (used.tv_nsec < 5000000);
    submit();
    return context;
}

static void start(void *(*body)(void *), void *context) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, context) == 0) {
        pthread_detach(thread);
    }
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    if (strcmp(from, "thread") == 0) {
        start(complete_and_submit, (void *)(uintptr_t)task);
    } else if (strcmp(from, "later-thread") == 0) {
        bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
        start(compute_and_submit, NULL);
    } else {
        complete_and_submit((void *)(uintptr_t)task);
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->quiet_ns = 250000000;
    the_host = host;
    BGTASK_TRY(bgt_container_path(host, directory, sizeof directory, NULL));
    (void)bgt_setting(host, "from", from, sizeof from, NULL);
    (void)bgt_setting(host, "times", times, sizeof times, NULL);
    return bgt_register(host, TASK, run, NULL);
}
