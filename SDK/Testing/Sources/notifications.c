/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The content of notifications. The test reads the last one. */

#include "host.h"
#include <string.h>

static int32_t set_content(const bgt_host *table, bgt_task number, const char *json, uint64_t length,
                           bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    if (!permit(host, "set_content", &problem)) return answer(refusal, &problem, 0);
    if (json == NULL || length == 0 || length > BGTASK_NOTIFICATION_MAX) {
        (void)refuse(&problem, BGT_INVALID, "a content has 1 to %u bytes, and this one has %llu, or is NULL",
                     BGTASK_NOTIFICATION_MAX, (unsigned long long)length);
        return answer(refusal, &problem, 0);
    }
    lock(host);
    task *task;
    int32_t status = presence(host, number, &task);
    if (status == BGT_OK && task->event != BGT_EVENT_NOTIFICATION) status = BGT_WRONG_KIND;
    if (status == BGT_OK) {
        memcpy(host->notification, json, length);
        host->notification_length = length;
    } else {
        (void)refuse(&problem, status, "set_content: the task has no notification: it is unknown, completed, or no alert");
    }
    unlock(host);
    return answer(refusal, &problem, 0);
}

const bgt_notifications NOTIFICATIONS = {.size = sizeof NOTIFICATIONS, .set_content = set_content};

size_t bgtt_notification_content(bgtt_host *host, void *buffer, size_t capacity) {
    lock(host);
    const size_t length = host->notification_length;
    if (buffer != NULL && capacity >= length) memcpy(buffer, host->notification, length);
    unlock(host);
    return length;
}
