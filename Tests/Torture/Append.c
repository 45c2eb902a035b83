/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * A plugin that records its runs in two files of the directory in its setting "records":
 *     runs    lines of text, filled with spaces:
 *             run SUBMISSION ATTEMPT LAUNCH WALL MONOTONIC PID PAYLOAD, one per start of a handler, both clocks in
 *             nanoseconds;
 *             done SUBMISSION LAUNCH, after the runner has accepted the completion; twice SUBMISSION LAUNCH, when the
 *             submission runs elsewhere at the same time; accepted SUBMISSION IDENTIFIER PAYLOAD, of its own requests
 *     locks   byte N is locked while submission N runs
 *     items   lines of the same form: item NUMBER SUBMISSION LAUNCH MONOTONIC PID, one per item of a loop with a cursor
 * The text after the colon of a payload selects the behaviour of the handler. */
#define _GNU_SOURCE
#include <bgtask.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONTINUED 10
#define LINE_LENGTH 256
#define ITEMS 200

static char runs[4096];
static char items[4096];
static char locks[4096];
static unsigned long long launch;

/* One write per line: lines of several processes do not mix. All lines have one length, which divides a page's: a kill in
 * the middle of a write leaves a part of it only between two pages. */
static int record_in(const char *path, const char *format, va_list values) {
    char line[LINE_LENGTH];
    memset(line, ' ', sizeof line);
    const int length = vsnprintf(line, sizeof line, format, values);
    if (length < 0 || length >= LINE_LENGTH) return 0;
    line[length] = ' ';
    line[LINE_LENGTH - 1] = '\n';
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    const int written = file >= 0 && write(file, line, sizeof line) == LINE_LENGTH;
    if (file >= 0) close(file);
    return written;
}

static int record(const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int written = record_in(runs, format, values);
    va_end(values);
    return written;
}

static int record_item(const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int written = record_in(items, format, values);
    va_end(values);
    return written;
}

/* The lock ends with the process or when the descriptor is closed. */
static int lock(unsigned long long submission) {
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)submission, .l_len = 1};
    const int file = open(locks, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0 && fcntl(file, F_OFD_SETLK, &byte) != 0) record("twice %llu %llu", submission, launch);
    return file;
}

static void end_assertion(void *context, const bgt_host *host, bgt_assertion assertion, uint32_t reason) {
    (void)context, (void)reason;
    bgt_end_assertion(host, assertion);
}

/* The identifier of the child is the parent's with its last digit, which is below 5, increased by 5. */
static void submit_child(const bgt_host *host, const bgt_task_info *parent, const char *word) {
    char identifier[256];
    char payload[64];
    snprintf(identifier, sizeof identifier, "%s", parent->identifier);
    identifier[strlen(identifier) - 1] += 5;
    const int length = snprintf(payload, sizeof payload, "child-%llu%s", (unsigned long long)parent->submission,
        word);
    bgt_request request = bgt_continued_request(identifier, "child", NULL);
    request.payload = (const uint8_t *)payload;
    request.payload_length = (uint64_t)length;
    bgt_refusal refusal = {0};
    if (bgt_submit(host, &request, &refusal) == BGT_OK) {
        record("accepted %llu %s %s", (unsigned long long)refusal.submission, identifier, payload);
    }
}

static long long nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The transfer waits until tomorrow, so that its end is the cancellation. */
static void begin_and_cancel_transfer(const bgt_host *host) {
    bgt_transfer transfer = bgt_download("torture", "http://127.0.0.1:9/nothing");
    bgt_refusal refusal = {0};
    uint64_t number = 0;
    transfer.earliest_begin_ns = nanoseconds(CLOCK_REALTIME) + 86400000000000;
    if (bgt_begin_transfer(host, &transfer, &number, &refusal) == BGT_OK) bgt_cancel_transfer(host, number);
}

static void wait_for_expiration(const bgt_host *host, bgt_task task) {
    while (bgt_is_expiring(host, task) == 0) usleep(5000);
}

/* One item of a loop with a cursor: its number is the cursor behind it. */
static int32_t do_item(void *context, const bgt_host *host, bgt_task task, const bgt_position *here,
    bgt_position *next) {
    const unsigned long long *const submission = context;
    unsigned number = 0;
    (void)host, (void)task;
    if (here->length == sizeof number) memcpy(&number, here->cursor, sizeof number);
    if (number == ITEMS) return BGT_STEP_END;
    usleep(5000);
    record_item("item %u %llu %llu %lld %d", number, *submission, launch, nanoseconds(CLOCK_MONOTONIC), (int)getpid());
    number++;
    memcpy(next->cursor, &number, sizeof number);
    next->length = sizeof number;
    return BGT_STEP_DONE;
}

static void append(void *context, const bgt_host *host, bgt_task task) {
    const long long wall = nanoseconds(CLOCK_REALTIME);
    const long long monotonic = nanoseconds(CLOCK_MONOTONIC);
    (void)context;

    bgt_task_info info = {0};
    char payload[512];
    if (bgt_get_task_info(host, task, &info) != BGT_OK) return;
    const unsigned long long submission = info.submission;
    snprintf(payload, sizeof payload, "%.*s", (int)info.payload_length, (const char *)info.payload);
    const int locked = lock(submission);
    const int written = record("run %llu %u %llu %lld %lld %d %s", submission, info.attempt, launch, wall, monotonic,
        (int)getpid(), payload);

    const char *word = strchr(payload, ':');
    word = word ? word + 1 : "";
    bgt_assertion assertion = 0;
    if (strcmp(word, "items") == 0 || strcmp(word, "durable-items") == 0) {
        const uint32_t flags = strcmp(word, "items") == 0 ? 0 : BGT_CHECKPOINT_DURABLE;
        unsigned long long number = submission;
        if (bgt_for_each(host, task, do_item, &number, flags) == BGT_OK) record("done %llu %llu", submission, launch);
        close(locked);
        return;
    }
    if (strcmp(word, "stay") == 0) {
        wait_for_expiration(host, task);
    } else if (strcmp(word, "assert") == 0) {
        bgt_begin_assertion(host, "torture", end_assertion, NULL, NULL, &assertion);
    } else if (strcmp(word, "overstay") == 0) {
        while (1) pause();
    } else if (strcmp(word, "long") == 0) {
        usleep(1500000);
    } else if (strcmp(word, "parent") == 0) {
        submit_child(host, &info, "");
    } else if (strcmp(word, "parent-of-two") == 0) {
        submit_child(host, &info, ":long"); /* still runs when the second one starts */
        submit_child(host, &info, "");
    } else if (strcmp(word, "transfer") == 0) {
        begin_and_cancel_transfer(host);
    } else if (submission % 4 == 0) {
        usleep(40000); /* Many kills then interrupt a running handler. */
    }
    const int32_t status = bgt_complete(host, task, written ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
    if (status == BGT_OK) record("done %llu %llu", submission, launch);
    close(locked);
}

static int32_t register_all(const bgt_host *host, const char *plugin, const char *letter, int count) {
    char identifier[256];
    for (int number = 0; number < count; number++) {
        snprintf(identifier, sizeof identifier, "%s.%s%d", plugin, letter, number);
        BGTASK_TRY(bgt_register(host, identifier, append, NULL));
    }
    return BGT_OK;
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    bgt_launch_info info = {0};
    char directory[4000];
    char count[32];
    (void)plugin;
    BGTASK_TRY(bgt_get_launch_info(host, &info));
    BGTASK_TRY(bgt_setting(host, "records", directory, sizeof directory, NULL));
    BGTASK_TRY(bgt_setting(host, "identifiers", count, sizeof count, NULL));
    launch = info.launch;
    snprintf(runs, sizeof runs, "%s/runs", directory);
    snprintf(locks, sizeof locks, "%s/locks", directory);
    snprintf(items, sizeof items, "%s/items", directory);
    BGTASK_TRY(register_all(host, info.plugin, "t", atoi(count)));
    return register_all(host, info.plugin, "c", CONTINUED);
}
