/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The threads on which the plugin is called. */

#include "host.h"
#include <stdlib.h>

/* Also called when the callback ends its thread. */
static void finish(void *argument) {
    worker *worker = argument;
    bgtt_host *host = worker->host;
    lock(host);
    if (worker->body != NULL) {
        violate(host, "BGT-ABI-15",
                "a callback ended its thread with pthread_exit or pthread_cancel instead of returning; return from the"
                " callback");
    }
    worker->is_done = true;
    host->callbacks--;
    unlock(host);
}

static void *run(void *argument) {
    worker *worker = argument;
    pthread_cleanup_push(finish, worker);
    worker->body(worker->host, worker->subject);
    worker->body = NULL;
    pthread_cleanup_pop(1);
    return NULL;
}

void start_worker(bgtt_host *host, void (*body)(bgtt_host *host, void *subject), void *subject) {
    worker *worker = allocate(sizeof *worker);
    worker->host = host;
    worker->body = body;
    worker->subject = subject;
    host->callbacks++;
    append(&host->workers, worker);
    if (pthread_create(&worker->thread, NULL, run, worker) != 0) {
        complain("no thread is left for a callback; the process ends");
        abort();
    }
}

bool join_workers(bgtt_host *host) {
    for (size_t index = 0;; index++) {
        lock(host);
        worker *next = index < host->workers.count ? host->workers.items[index] : NULL;
        const bool is_done = next != NULL && next->is_done;
        unlock(host);
        if (next == NULL) return true;
        if (!is_done) return false;
        pthread_join(next->thread, NULL);
    }
}
