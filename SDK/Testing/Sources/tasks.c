/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Calls of the plugin about its tasks (BGT-ABI-08, BGT-ABI-09). */

#include "host.h"
#include <stdio.h>
#include <stdlib.h>

task *find_task(bgtt_host *host, bgt_task number) {
    if (number >> 16 != LAUNCH) return NULL;
    const size_t index = (number & 0xffff) - 1;
    task *task = index < host->tasks.count ? host->tasks.items[index] : NULL;
    return task != NULL && task->is_delivered ? task : NULL;
}

bool has_unfinished(bgtt_host *host) {
    for (size_t index = 0; index < host->tasks.count; index++) {
        const task *task = host->tasks.items[index];
        if (task->is_delivered && !task->is_completed) return true;
    }
    return false;
}

const char *number_of(const task *task, char text[32]) {
    snprintf(text, 32, "%llu.%llu", (unsigned long long)task->number >> 16, (unsigned long long)task->number & 0xffff);
    return text;
}

int32_t presence(bgtt_host *host, bgt_task number, task **found) {
    *found = find_task(host, number);
    if (*found == NULL) return BGT_NO_SUCH_TASK;
    return (*found)->is_completed ? BGT_ALREADY_COMPLETED : BGT_OK;
}

int32_t host_task_info(const bgt_host *table, bgt_task number, bgt_task_info *out) {
    bgtt_host *host = host_of(table);
    int32_t status = bar(host, "task_info");
    if (status != BGT_OK) return status;
    lock(host);
    task *task;
    status = presence(host, number, &task);
    if (status == BGT_OK) {
        const bgt_task_info information = {
            .kind = task->kind,
            .event = task->event,
            .attempt = task->attempt,
            .identifier = task->identifier,
            .payload = task->payload,
            .payload_length = task->payload_length,
            .submission = task->submission,
            .flags = task->flags,
            .expiration_reason = task->is_expiring ? task->reason : 0,
            .title = task->title,
            .subtitle = task->subtitle,
            .fleet_item = task->fleet_item,
            .fence = task->fence,
        };
        status = out != NULL && fill(out, &information, sizeof information, 72) ? BGT_OK : BGT_INVALID;
    }
    unlock(host);
    return status;
}

int32_t host_set_expiration_handler(const bgt_host *table, bgt_task number, bgt_expiration_handler handler,
                                    void *context, bgt_release release) {
    bgtt_host *host = host_of(table);
    int32_t status = bar(host, "set_expiration_handler");
    bgt_release replaced = NULL;
    void *replaced_context = NULL;
    if (status == BGT_OK) {
        lock(host);
        task *task;
        status = host->phase == ENDED ? BGT_NO_SUCH_TASK : presence(host, number, &task);
        if (status == BGT_OK) {
            if (task->on_expire != NULL) {
                replaced = task->release;
                replaced_context = task->context;
            }
            task->on_expire = handler;
            task->context = context;
            task->release = release;
            if (task->is_expiring && handler != NULL) start_expiration_call(host, task);
        }
        unlock(host);
    }
    if (replaced != NULL) replaced(replaced_context);
    /* Without a function the context will never be used. */
    if ((status != BGT_OK || handler == NULL) && release != NULL) release(context);
    return status;
}

/* Whether a completion no longer counts. Locked. */
static bool is_too_late(bgtt_host *host, const task *task) {
    if (host->phase == ENDED) return true;
    if (task->is_expiring && host->now >= task->expired_at + host->grace_ns) return true;
    if (task->kind == BGT_KIND_CONTINUED || host->budget_ns == BGTASK_NO_DEADLINE) return false;
    return host->now - host->start >= host->budget_ns + host->grace_ns;
}

/* Completes an open task. Takes the message when it returns BGT_OK. Locked. */
static int32_t record(bgtt_host *host, bgt_task number, int32_t outcome, char *message) {
    task *task;
    char text[32];
    const int32_t status = presence(host, number, &task);
    if (status == BGT_NO_SUCH_TASK) {
        violate(host, "BGT-ABI-08",
                "task %llu.%llu was completed, but was not delivered to this launch; complete the task that the handler"
                " received",
                (unsigned long long)number >> 16, (unsigned long long)number & 0xffff);
        return status;
    }
    if (status == BGT_ALREADY_COMPLETED) {
        if (task->had_expired) return status;
        violate(host, "BGT-ABI-09",
                "task %s was completed again, with %s; only the first completion counts; complete each task once",
                number_of(task, text), name_of(BGT_VOCABULARY_OUTCOME, outcome));
        return status;
    }
    if (is_too_late(host, task)) return BGT_ENDED;
    task->is_completed = true;
    task->had_expired = task->is_expiring;
    task->outcome = outcome;
    task->message = message;
    if (outcome != BGT_OUTCOME_FAILURE) drop_cursor(host, task);
    return BGT_OK;
}

/* Completes a task; an outcome that is none counts as failed. */
static int32_t complete(bgtt_host *host, bgt_task number, int32_t outcome, const char *message) {
    const bool is_known = outcome >= BGT_OUTCOME_SUCCESS && outcome <= BGT_OUTCOME_NO_DATA;
    char *copy = message == NULL ? NULL : read_repaired(message, BGTASK_MESSAGE_MAX);
    bgt_release release = NULL;
    void *context = NULL;
    lock(host);
    int32_t status = record(host, number, is_known ? outcome : BGT_OUTCOME_FAILURE, copy);
    const bool is_recorded = status == BGT_OK;
    if (is_recorded) {
        task *task = find_task(host, number);
        if (task->on_expire != NULL) {
            release = task->release;
            context = task->context;
            task->on_expire = NULL;
        }
        if (!is_known) {
            char text[32];
            violate(host, "BGT-ABI-09",
                    "task %s was completed with %d, which is no BGT_OUTCOME_... of this host, and counts as failed;"
                    " complete it with BGT_OUTCOME_SUCCESS, BGT_OUTCOME_FAILURE or BGT_OUTCOME_NO_DATA",
                    number_of(task, text), outcome);
            status = outcome > 0 ? BGT_TOO_NEW : BGT_INVALID;
        }
    }
    unlock(host);
    if (!is_recorded) free(copy);
    if (release != NULL) release(context);
    return status;
}

/* A call of a visitor completes the task, too: no call of `complete` leaves a task open. */
int32_t host_complete(const bgt_host *table, bgt_task number, int32_t outcome, const char *message) {
    bgtt_host *host = host_of(table);
    const int32_t refused = bar(host, "complete");
    if (refused == BGT_OK) return complete(host, number, outcome, message);
    if (refused == BGT_WRONG_PHASE) (void)complete(host, number, outcome, message);
    return refused;
}

int32_t host_is_expiring(const bgt_host *table, bgt_task number) {
    bgtt_host *host = host_of(table);
    if (is_forked(host)) return 1;
    lock(host);
    task *task;
    const bool is_open = presence(host, number, &task) == BGT_OK;
    const int32_t result = host->phase == ENDED || !is_open || task->is_expiring;
    unlock(host);
    return result;
}
