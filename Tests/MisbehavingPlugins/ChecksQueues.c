/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well, and checks the host: .one and .two, in one launch, must run at the same time, on different threads,
 * neither of them the main thread, and each alone on its queue. Each appends to `queues.txt`: NAME main=0 inside=1
 * overlapped=1 shared=0. */

#define _GNU_SOURCE /* gettid */
#include <bgtask.h>

#include "Records.h"

#include <stdatomic.h>
#include <unistd.h>

struct queue {
    const char *name;
    atomic_int inside;
    atomic_int thread;
};

static struct queue queues[] = {{.name = "one"}, {.name = "two"}};

static void run(void *context, const bgt_host *host, bgt_task task) {
    struct queue *own = context;
    struct queue *other = own == &queues[0] ? &queues[1] : &queues[0];
    const int inside = atomic_fetch_add(&own->inside, 1) + 1;
    const int thread = gettid();
    atomic_store(&own->thread, thread);
    while (atomic_load(&other->thread) == 0 && !bgt_is_expiring(host, task)) {
        usleep(1000);
    }
    const int other_thread = atomic_load(&other->thread);
    record(host, "queues.txt", "%s main=%d inside=%d overlapped=%d shared=%d\n", own->name, thread == getpid(), inside,
           other_thread != 0, thread == other_thread);
    atomic_fetch_sub(&own->inside, 1);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.checksqueues.one", run, &queues[0]));
    BGTASK_TRY(bgt_register(host, "com.example.checksqueues.two", run, &queues[1]));
    return BGT_OK;
}
