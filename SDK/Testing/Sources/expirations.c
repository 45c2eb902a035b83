/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The clock, and the expiration of tasks, each with one call of its handler on a thread of its own. */

#include "host.h"

/* Also called when the handler ends its thread. */
static void end_call(void *argument) {
    task *task = argument;
    lock(task->host);
    task->calls--;
    unlock(task->host);
}

/* The handler may have been removed or replaced since. */
static void call(bgtt_host *host, void *subject) {
    task *task = subject;
    pthread_cleanup_push(end_call, task);
    lock(host);
    const bgt_expiration_handler handler = task->on_expire;
    void *context = task->context;
    const bgt_release release = task->release;
    const bool is_due = host->phase != ENDED && !task->is_completed && !task->was_called && handler != NULL;
    if (is_due) {
        task->was_called = true;
        task->on_expire = NULL;
    }
    const uint32_t reason = task->reason;
    unlock(host);
    if (is_due) {
        handler(context, host->table, task->number, reason);
        if (release != NULL) release(context);
    }
    pthread_cleanup_pop(1);
}

void start_expiration_call(bgtt_host *host, task *task) {
    if (task->was_called) return;
    task->calls++;
    start_worker(host, call, task);
}

static bool has_running(bgtt_host *host) {
    for (size_t index = 0; index < host->tasks.count; index++) {
        const task *task = host->tasks.items[index];
        if (task->is_delivered && !task->is_completed && !task->is_expiring) return true;
    }
    return false;
}

/* Locked. */
static int expire(bgtt_host *host, const task *only, uint32_t reason, bool is_budget, uint64_t at) {
    int count = 0;
    for (size_t index = 0; index < host->tasks.count; index++) {
        task *task = host->tasks.items[index];
        if (!task->is_delivered || task->is_completed || task->is_expiring) continue;
        if (only != NULL && task != only) continue;
        if (is_budget && task->kind == BGT_KIND_CONTINUED) continue;
        task->is_expiring = true;
        task->reason = reason;
        task->expired_at = at;
        count++;
        if (task->on_expire != NULL) start_expiration_call(host, task);
    }
    if (!has_running(host)) expire_assertions(host, reason);
    return count;
}

int bgtt_expire(bgtt_host *host, bgt_task number, uint32_t reason) {
    lock(host);
    const task *only = number == 0 ? NULL : find_task(host, number);
    int count = 0;
    if (host->phase != RUNNING) {
        complain("bgtt_expire: no task runs; call it between bgtt_enter and bgtt_end");
    } else if (number != 0 && only == NULL) {
        complain("bgtt_expire: this task was not delivered; pass the number that bgtt_deliver has returned, or 0");
    } else {
        count = expire(host, only, reason, false, host->now);
    }
    unlock(host);
    return count;
}

void bgtt_advance(bgtt_host *host, uint64_t nanoseconds) {
    lock(host);
    const bool has_budget = host->budget_ns != BGTASK_NO_DEADLINE;
    const uint64_t deadline = host->start + host->budget_ns;
    const bool was_before = has_budget && host->now < deadline;
    host->now += nanoseconds;
    if (was_before && host->now >= deadline && host->phase == RUNNING) {
        (void)expire(host, NULL, BGT_EXPIRED_BUDGET, true, deadline);
    }
    unlock(host);
}
