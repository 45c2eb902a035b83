/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well, but works for 1.2 s after each completion: the handler of .task, and the expiration handler of .waits.
 * `stop` logs the number of the calls that have returned and of the contexts that have been released. */

#include <bgtask.h>

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define NAME "com.example.worksaftercompletion"

static atomic_int handlers, expirations, releases;

static void complete_and_work(const bgt_host *host, bgt_task task, atomic_int *returned) {
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    usleep(1200 * 1000);
    atomic_fetch_add(returned, 1);
}

static void release(void *context) {
    (void)context;
    atomic_fetch_add(&releases, 1);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    complete_and_work(host, task, &handlers);
}

static void expired(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context;
    (void)reason;
    complete_and_work(host, task, &expirations);
}

static void wait_for_expiration(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler_with_release(host, task, expired, &releases, release);
}

static void stop(void *context, const bgt_host *host) {
    char line[80];
    (void)context;
    snprintf(line, sizeof line, "stop after %d handler, %d expiration handler, %d release", atomic_load(&handlers),
             atomic_load(&expirations), atomic_load(&releases));
    bgt_log(host, BGT_LOG_INFO, line);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->stop = stop;
    BGTASK_TRY(bgt_register(host, NAME ".task", run, NULL));
    return bgt_register(host, NAME ".waits", wait_for_expiration, NULL);
}
