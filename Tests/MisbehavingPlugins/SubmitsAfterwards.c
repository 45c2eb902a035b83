/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Completes .task, and only then submits it anew, for tomorrow: on the handler's own thread, or on a thread that the
 * handler starts when the setting `from` says `thread`. As many submissions follow one another as the setting `times`
 * says, one if there is none; the status of each goes to `statuses.txt`. */

#include <bgtask.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TASK "com.example.submitsafterwards.task"

/* Read in entry: after the end of the launch the host answers nothing any more. */
static char folder[4096];
static char from[16], times[16] = "1";

static const bgt_host *the_host;

static void record(const char *file, const char *format, ...) {
    char path[sizeof folder + 32];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    va_list arguments;
    va_start(arguments, format);
    vdprintf(descriptor, format, arguments);
    va_end(arguments);
    close(descriptor);
}

static void complete_and_submit(bgt_task task) {
    bgt_complete(the_host, task, BGT_OUTCOME_SUCCESS);
    for (int count = atoi(times); count > 0; count--) {
        bgt_request next = bgt_processing_request(TASK, 0);
        next.earliest_begin_ns = bgt_seconds_from_now(24 * 60 * 60);
        record("statuses.txt", "%s\n", bgt_status_name(the_host, bgt_submit(the_host, &next, NULL)));
    }
}

static void *work(void *task) {
    complete_and_submit((bgt_task)(uintptr_t)task);
    return NULL;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host;
    pthread_t thread;
    if (strcmp(from, "thread") != 0) {
        complete_and_submit(task);
    } else if (pthread_create(&thread, NULL, work, (void *)(uintptr_t)task) == 0) {
        pthread_detach(thread);
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    the_host = host;
    BGTASK_TRY(bgt_container_path(host, folder, sizeof folder, NULL));
    (void)bgt_setting(host, "from", from, sizeof from, NULL);
    (void)bgt_setting(host, "times", times, sizeof times, NULL);
    return bgt_register(host, TASK, run, NULL);
}
