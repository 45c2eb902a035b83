/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Makes twenty calls that the host answers, each on a thread of its own: submit, cancel and cancel_all in turn,
 * and pending once. The handler completes .task while they wait. The status of each call goes to `statuses.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define TASK "com.example.fillswindow.task"
#define CALLS 20

static char directory[4096];
static const bgt_host *the_host;
static atomic_int calling;

static int32_t look(void *context, const bgt_host *host, const bgt_pending *request) {
    (void)host;
    (void)context, (void)request;
    return BGT_OK;
}

static int32_t call(uintptr_t index) {
    bgt_request request = bgt_processing_request(TASK, 0);
    /* Of the calls for a list only one is under way at a time. */
    if (index == 3) return bgt_visit_pending(the_host, look, NULL);
    switch (index % 3) {
    case 0: return bgt_submit(the_host, &request, NULL);
    case 1: return bgt_cancel(the_host, TASK);
    default: return bgt_cancel_all(the_host);
    }
}

static void *call_once(void *index) {
    atomic_fetch_add(&calling, 1);
    record_in(directory, "statuses.txt", "%s\n", bgt_status_name(the_host, call((uintptr_t)index)));
    return NULL;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    for (uintptr_t index = 0; index < CALLS; index++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, call_once, (void *)index) == 0) {
            pthread_detach(thread);
        }
    }
    while (atomic_load(&calling) < CALLS) {
        usleep(1000);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    the_host = host;
    BGTASK_TRY(bgt_container_path(host, directory, sizeof directory, NULL));
    return bgt_register(host, TASK, run, NULL);
}
