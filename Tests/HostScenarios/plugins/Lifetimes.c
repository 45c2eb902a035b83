/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Records the releases of contexts and the calls of `run_main` and `stop` in a file of its container, which a later
 * launch reports. Some tasks end with an open assertion. */

#define _GNU_SOURCE

#include <bgtask.h>

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "com.example.lifetimes."

static atomic_int main_begins;
/* Open once records begin: after `stop` no call returns the path. */
static atomic_int records = -1;

static int open_file(const bgt_host *host, int flags) {
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 16, NULL) != BGT_OK) return -1;
    strcat(path, "/records.txt");
    return open(path, flags | O_CLOEXEC, 0600);
}

static void record(const char *what) {
    const int file = atomic_load(&records);
    char line[64];
    const int length = snprintf(line, sizeof line, "%s ", what);
    if (file >= 0 && write(file, line, (size_t)length) != length) atomic_store(&records, -1);
}

static void release(void *context) { record(context); }

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)host, (void)task, (void)reason;
}

/* Passes a context to every function that takes one. */
static void record_releases(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    atomic_store(&records, open_file(host, O_WRONLY | O_CREAT | O_APPEND));
    bgt_assertion assertion;
    const int32_t status = bgt_register_with_release(host, PREFIX "reports", record_releases, "refused", release);
    record(status == BGT_OK ? "registered" : "returned");
    bgt_set_expiration_handler_with_release(host, task, expire, "first", release);
    bgt_set_expiration_handler_with_release(host, task, expire, "second", release);
    bgt_set_expiration_handler_with_release(host, 0, expire, "stale", release);
    bgt_begin_assertion(host, "without handler", NULL, "unheard", release, &assertion);
    bgt_end_assertion(host, assertion);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void report(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char text[512];
    const int file = open_file(host, O_RDONLY);
    const ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    text[length < 0 ? 0 : length] = 0;
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, text);
}

static void report_main(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    while (!atomic_load(&main_begins) && !bgt_is_expiring(host, task)) usleep(1000);
    const char *thread = atomic_load(&main_begins) == 1 ? "the main thread" : "another thread";
    char message[64];
    snprintf(message, sizeof message, "run_main runs on %s", thread);
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, message);
}

static void end_assertion(void *context, const bgt_host *host, bgt_assertion assertion, uint32_t reason) {
    (void)context, (void)reason;
    bgt_end_assertion(host, assertion);
}

static void keep_assertion(void *context, const bgt_host *host, bgt_assertion assertion, uint32_t reason) {
    (void)context, (void)host, (void)assertion, (void)reason;
}

static void assert_and_complete(const bgt_host *host, bgt_task task, bgt_assertion_handler handler) {
    bgt_assertion assertion;
    const int32_t status = bgt_begin_assertion(host, "upload", handler, NULL, NULL, &assertion);
    bgt_complete(host, task, status == BGT_OK ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

static void assert_until_expiration(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    assert_and_complete(host, task, end_assertion);
}

static void assert_for_ever(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    assert_and_complete(host, task, keep_assertion);
}

static void run_main(void *context, const bgt_host *host) {
    (void)context, (void)host;
    atomic_store(&main_begins, gettid() == getpid() ? 1 : 2);
}

static void stop(void *context, const bgt_host *host) {
    (void)context, (void)host;
    record("stop");
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->run_main = run_main;
    plugin->stop = stop;
    BGTASK_TRY(bgt_register_with_release(host, PREFIX "records", record_releases, "registration", release));
    BGTASK_TRY(bgt_register(host, PREFIX "reports", report, NULL));
    BGTASK_TRY(bgt_register(host, PREFIX "main", report_main, NULL));
    BGTASK_TRY(bgt_register(host, PREFIX "asserts", assert_until_expiration, NULL));
    return bgt_register(host, PREFIX "keeps", assert_for_ever, NULL);
}
