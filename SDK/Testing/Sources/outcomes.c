/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The results of delivered tasks, for tests. */

#include "host.h"

task *task_at(bgtt_host *host, bgt_task number) {
    const size_t index = (number & 0xffff) - 1;
    return number >> 16 == LAUNCH && index < host->tasks.count ? host->tasks.items[index] : NULL;
}

bool bgtt_is_delivered(bgtt_host *host, bgt_task number) {
    lock(host);
    const bool result = find_task(host, number) != NULL;
    unlock(host);
    return result;
}

int32_t bgtt_outcome(bgtt_host *host, bgt_task number) {
    lock(host);
    const task *task = task_at(host, number);
    const int32_t result = task == NULL ? 0 : task->outcome;
    unlock(host);
    return result;
}

const char *bgtt_message(bgtt_host *host, bgt_task number) {
    lock(host);
    const task *task = task_at(host, number);
    const char *result = task == NULL ? NULL : task->message;
    unlock(host);
    return result;
}

bool bgtt_progress(bgtt_host *host, bgt_task number, int64_t *completed, int64_t *total) {
    lock(host);
    const task *task = task_at(host, number);
    const bool result = task != NULL && task->has_progress;
    if (result && completed != NULL) *completed = task->completed;
    if (result && total != NULL) *total = task->total;
    unlock(host);
    return result;
}

const char *bgtt_title(bgtt_host *host, bgt_task number) {
    lock(host);
    const task *task = task_at(host, number);
    const char *result = task == NULL ? NULL : task->shown_title;
    unlock(host);
    return result;
}

const char *bgtt_subtitle(bgtt_host *host, bgt_task number) {
    lock(host);
    const task *task = task_at(host, number);
    const char *result = task == NULL ? NULL : task->shown_subtitle;
    unlock(host);
    return result;
}
