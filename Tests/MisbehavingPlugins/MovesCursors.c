/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Calls the functions of cursors with right and wrong arguments, and writes the results to `statuses.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <pthread.h>
#include <sys/wait.h>

enum { THREADS = 2, WRITES = 500 };

struct writer {
    const bgt_host *host;
    bgt_task task;
    uint8_t byte;
};

static void *write_cursors(void *context) {
    const struct writer *writer = context;
    uint8_t cursor[BGTASK_CURSOR_MAX];
    memset(cursor, writer->byte, sizeof cursor);
    for (unsigned length = 1; length <= WRITES; length++) {
        (void)bgt_checkpoint(writer->host, writer->task, cursor, length, 0);
    }
    return NULL;
}

static void write_in_threads(const bgt_host *host, bgt_task task) {
    pthread_t threads[THREADS];
    struct writer writers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        writers[i] = (struct writer){host, task, (uint8_t)('a' + i)};
        pthread_create(&threads[i], NULL, write_cursors, &writers[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    uint8_t cursor[BGTASK_CURSOR_MAX];
    bgt_cursor_info info = {0};
    record_status(host, "threads", bgt_read_cursor(host, task, &info, cursor, sizeof cursor));
    int is_whole = info.length == WRITES;
    for (uint64_t i = 0; i < info.length; i++) {
        is_whole = is_whole && cursor[i] == cursor[0];
    }
    record(host, "statuses.txt", "whole %d\n", is_whole);
}

static void checkpoint_in_fork(const bgt_host *host, bgt_task task) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(bgt_checkpoint(host, task, "fork", 4, 0));
    }
    int status = 0;
    waitpid(child, &status, 0);
    record_status(host, "fork", WEXITSTATUS(status));
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    static uint8_t large[BGTASK_CURSOR_MAX + 1];
    uint8_t buffer[8];
    bgt_cursor_info info = {0};
    record_status(host, "none", bgt_read_cursor(host, task, &info, buffer, sizeof buffer));
    record_status(host, "null", bgt_checkpoint(host, task, NULL, 1, 0));
    record_status(host, "empty", bgt_checkpoint(host, task, large, 0, 0));
    record_status(host, "large", bgt_checkpoint(host, task, large, sizeof large, 0));
    record_status(host, "flag", bgt_checkpoint(host, task, large, 1, 2));
    record_status(host, "foreign", bgt_checkpoint(host, task + 1, large, 1, 0));
    record_status(host, "still none", bgt_read_cursor(host, task, &info, buffer, sizeof buffer));
    record_status(host, "full", bgt_checkpoint(host, task, large, BGTASK_CURSOR_MAX, BGT_CHECKPOINT_DURABLE));
    record_status(host, "short", bgt_read_cursor(host, task, &info, buffer, sizeof buffer));
    record_status(host, "discard", bgt_discard_cursor(host, task));
    record_status(host, "discarded", bgt_read_cursor(host, task, &info, buffer, sizeof buffer));
    write_in_threads(host, task);
    checkpoint_in_fork(host, task);
    record_status(host, "text", bgt_checkpoint(host, task, "row 7", 5, BGT_CHECKPOINT_DURABLE));
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
    record_status(host, "completed", bgt_checkpoint(host, task, "row 8", 5, BGT_CHECKPOINT_DURABLE));
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    return bgt_register(host, "com.example.movescursors.task", run, NULL);
}
