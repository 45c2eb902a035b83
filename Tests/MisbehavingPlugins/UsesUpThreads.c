/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Leaves its process, in entry, no memory for another thread's stack. Each of its two tasks waits until the other
 * has begun, which requires two threads: both complete, and `statuses.txt` gets: no thread. */

#include <bgtask.h>

#include "Records.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static void *sleep_for_ever(void *context) {
    for (;;) {
        pause();
    }
    return context;
}

/* The remaining memory is too little for a stack, and enough for small allocations. */
static int use_up_threads(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL || fscanf(file, "%lu", &pages) != 1) {
        return -1;
    }
    fclose(file);
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (1 << 20);
    if (setrlimit(RLIMIT_AS, &limit) != 0) {
        return -1;
    }
    pthread_t thread;
    while (pthread_create(&thread, NULL, sleep_for_ever, NULL) == 0) {
        pthread_detach(thread);
    }
    return 0;
}

static atomic_int begun;

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) < 2 && !bgt_is_expiring(host, task)) {
        usleep(1000);
    }
    bgt_complete(host, task, atomic_load(&begun) == 2 ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.usesupthreads.one", run, NULL));
    BGTASK_TRY(bgt_register(host, "com.example.usesupthreads.two", run, NULL));
    if (use_up_threads() != 0) {
        return -1;
    }
    record(host, "statuses.txt", "no thread\n");
    return BGT_OK;
}
