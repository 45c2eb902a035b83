/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Never stops calling the host: two threads submit .task repeatedly until they receive that the launch has ended, a
 * third one requests the remaining time without end. The results of the submissions are counted in `counts`, four
 * words that outlive the process: begun, accepted, refused because the launch has ended, any other status. */

#include <bgtask.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define TASK "com.example.callswithoutend.task"

enum { BEGUN, ACCEPTED, ENDED, OTHER, COUNTS };

static const bgt_host *the_host;
static _Atomic uint64_t *counts;

static void *submit_without_end(void *context) {
    int32_t status;
    do {
        bgt_request next = bgt_processing_request(TASK, 0);
        next.earliest_begin_ns = bgt_seconds_from_now(24 * 60 * 60);
        atomic_fetch_add(&counts[BEGUN], 1);
        status = bgt_submit(the_host, &next, NULL);
        atomic_fetch_add(&counts[status == BGT_OK ? ACCEPTED : status == BGT_ENDED ? ENDED : OTHER], 1);
        usleep(5000);
    } while (status != BGT_ENDED);
    return context;
}

static void *ask_without_end(void *context) {
    for (;;) {
        (void)bgt_remaining(the_host);
        usleep(1000);
    }
    return context;
}

static void start(void *(*body)(void *)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, body, NULL) == 0) {
        pthread_detach(thread);
    }
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    start(submit_without_end);
    start(submit_without_end);
    start(ask_without_end);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    char path[4096], directory[4000];
    the_host = host;
    BGTASK_TRY(bgt_container_path(host, directory, sizeof directory, NULL));
    snprintf(path, sizeof path, "%s/counts", directory);
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || ftruncate(file, COUNTS * sizeof *counts) != 0) {
        return -1;
    }
    counts = mmap(NULL, COUNTS * sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return counts == MAP_FAILED ? -1 : bgt_register(host, TASK, run, NULL);
}
