/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Starts 1,000 threads that never end, writes their number to `threads.txt`, and completes with success meanwhile.
 * They neither keep the launch open nor outlive it. */

#include <bgtask.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void record(const bgt_host *host, const char *file, const char *format, ...) {
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) {
        return;
    }
    strcat(strcat(path, "/"), file);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    va_list arguments;
    va_start(arguments, format);
    vdprintf(descriptor, format, arguments);
    va_end(arguments);
    fsync(descriptor);
    close(descriptor);
}

static void *sleep_for_ever(void *context) {
    for (;;) {
        pause();
    }
    return context;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    int count = 0;
    pthread_t thread;
    while (count < 1000 && pthread_create(&thread, NULL, sleep_for_ever, NULL) == 0) {
        pthread_detach(thread);
        count++;
    }
    record(host, "threads.txt", "%d\n", count);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.startsthreads.task", run, NULL));
    return BGT_OK;
}
