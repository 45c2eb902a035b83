/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: .task, an extension's trigger, and entry with the setting `hold` = `entry`, begins the assertion
 * "flush", completes its task, and continues: it waits for a file named `release` in the container, writes how much
 * of the budget was left to `flushed.txt`, and ends the assertion. When the assertion expires, it writes to
 * `thread.txt` whether that is the main thread, the reason and the statuses of two calls to `expired.txt`, and
 * ends the assertion at once. In either case the context is released once, which `released.txt` records. */

#define _GNU_SOURCE /* gettid */

#include <bgtask.h>

#include "Records.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Requested once: a context may be released after the end of the launch, when the host answers no calls. */
static char directory[4096];

static const bgt_host *the_host;
static _Atomic bgt_assertion flush;

static void release(void *context) {
    record_in(directory, "released.txt", "released %s\n", (const char *)context);
}

static void must_end(void *context, const bgt_host *host, bgt_assertion assertion, uint32_t reason) {
    bgt_assertion none;
    record_in(directory, "thread.txt", "main=%d\n", gettid() == getpid());
    const int32_t cancelled = bgt_cancel_all(host);
    const int32_t begun = bgt_begin_assertion(host, "another", NULL, NULL, NULL, &none);
    record_in(directory, "expired.txt", "%s %u %s %s\n", (const char *)context, reason,
              bgt_status_name(host, cancelled), bgt_status_name(host, begun));
    bgt_end_assertion(host, assertion);
    /* Slow on purpose: the launch may have ended by now, while the context is in use. */
    usleep(100000);
}

static void *flush_slowly(void *context) {
    char path[sizeof directory + 32];
    (void)context;
    snprintf(path, sizeof path, "%s/release", directory);
    while (access(path, F_OK) != 0) {
        usleep(1000);
    }
    const uint64_t left = bgt_remaining(the_host);
    record_in(directory, "flushed.txt", "%s\n", left > 0 && left != BGTASK_NO_DEADLINE ? "in time" : "too late");
    bgt_end_assertion(the_host, atomic_load(&flush));
    return NULL;
}

static int32_t hold(const bgt_host *host) {
    bgt_assertion assertion;
    pthread_t thread;
    BGTASK_TRY(bgt_begin_assertion(host, "flush", must_end, "flush", release, &assertion));
    atomic_store(&flush, assertion);
    return pthread_create(&thread, NULL, flush_slowly, NULL) == 0 ? BGT_OK : -1;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const int32_t status = hold(host);
    bgt_complete(host, task, status == BGT_OK ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
    bgt_log(host, BGT_LOG_INFO, "holdsopen has completed");
}

static void receive(void *context, const bgt_host *host, bgt_task event) { run(context, host, event); }

BGTASK_PLUGIN_ENTRY(host, plugin) {
    the_host = host;
    BGTASK_TRY(bgt_container_path(host, directory, sizeof directory, NULL));
    char when[16] = "";
    (void)host->setting(host, "hold", when, sizeof when, NULL);
    if (strcmp(when, "entry") == 0) {
        BGTASK_TRY(hold(host));
    }
    bgt_launch_info launch;
    BGTASK_TRY(bgt_get_launch_info(host, &launch));
    if (launch.role == BGT_ROLE_EXTENSION) {
        plugin->receive = receive;
        return BGT_OK;
    }
    return bgt_register(host, "com.example.holdsopen.task", run, NULL);
}
