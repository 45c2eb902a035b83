/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Delivery of tasks and events, each on the queue of its identifier. */

#include "host.h"
#include <stdlib.h>
#include <string.h>

/* Whether an earlier task of the same queue has not returned. Locked. */
static bool is_blocked(bgtt_host *host, const task *task) {
    for (size_t index = 0; index < host->tasks.count; index++) {
        const struct task *earlier = host->tasks.items[index];
        if (earlier == task) return false;
        const bool is_of_queue = task->kind == BGT_KIND_EVENT || earlier->kind == BGT_KIND_EVENT
                                     ? task->kind == earlier->kind
                                     : strcmp(task->identifier, earlier->identifier) == 0;
        if (earlier->is_delivered && !earlier->has_returned && is_of_queue) return true;
    }
    return false;
}

typedef struct call {
    bgtt_host *host;
    task *task;
    registration *registration; /* NULL for an event */
} call;

/* Also called when the handler ends its thread. */
static void end_call(void *argument) {
    const call *call = argument;
    bgt_release release = NULL;
    void *context = NULL;
    lock(call->host);
    call->task->has_returned = true;
    if (call->registration != NULL && --call->registration->calls == 0 && call->host->phase == ENDED) {
        release = call->registration->release;
        context = call->registration->context;
        call->registration->release = NULL;
    }
    unlock(call->host);
    if (release != NULL) release(context);
    lock(call->host);
    call->task->calls--;
    unlock(call->host);
}

static void handle(bgtt_host *host, void *subject) {
    call call = {.host = host, .task = subject};
    lock(host);
    while (is_blocked(host, call.task)) pthread_cond_wait(&host->changed, &host->lock);
    if (call.task->kind != BGT_KIND_EVENT) call.registration = registration_for(host, call.task->identifier);
    if (call.registration != NULL) call.registration->calls++;
    const bool has_ended = host->phase != RUNNING;
    unlock(host);
    pthread_cleanup_push(end_call, &call);
    if (!has_ended) {
        if (call.registration != NULL) {
            call.registration->handler(call.registration->context, host->table, call.task->number);
        } else if (call.task->kind == BGT_KIND_EVENT) {
            host->hooks.receive(host->hooks.context, host->table, call.task->number);
        }
    }
    pthread_cleanup_pop(1);
}

void begin_task(bgtt_host *host, task *task) {
    if (task->kind == BGT_KIND_EVENT && host->hooks.receive == NULL) {
        /* The host completes such an event itself. */
        if (task->event == BGT_EVENT_STARTED) {
            task->is_completed = true;
            task->outcome = BGT_OUTCOME_SUCCESS;
        }
        return;
    }
    if (task->kind != BGT_KIND_EVENT && registration_for(host, task->identifier) == NULL) {
        complain("no handler is registered for %s; register one in entry", task->identifier);
        return;
    }
    task->is_delivered = true;
    task->calls++;
    start_worker(host, handle, task);
}

static bool check(bgtt_host *host, const bgtt_delivery *delivery) {
    const bool is_event = delivery->event != 0;
    if (host->phase == FAILED || host->phase == ENDED) {
        complain("bgtt_deliver: the launch has %s; use a new host", host->phase == FAILED ? "failed in entry" : "ended");
    } else if (is_event ? delivery->kind != 0 && delivery->kind != BGT_KIND_EVENT
                        : delivery->kind < BGT_KIND_REFRESH || delivery->kind > BGT_KIND_CONTINUED) {
        complain("bgtt_deliver: kind %u does not fit; use a BGT_KIND_..., or set event", delivery->kind);
    } else if (!is_event && (delivery->identifier == NULL || flaw_of_task(delivery->identifier) != NULL)) {
        complain("bgtt_deliver: the identifier is no identifier of a task; set a permitted identifier");
    } else if (delivery->kind == BGT_KIND_CONTINUED && delivery->title == NULL) {
        complain("bgtt_deliver: a continued task has a title; set it");
    } else if (host->tasks.count == 0xffff) {
        complain("bgtt_deliver: 65,535 tasks were delivered; use a new host");
    } else {
        return true;
    }
    return false;
}

static bgt_task deliver(bgtt_host *host, const bgtt_delivery *delivery, uint64_t submission) {
    lock(host);
    bgt_task number = 0;
    if (check(host, delivery)) {
        task *task = allocate(sizeof *task);
        const bool is_event = delivery->event != 0;
        task->host = host;
        number = task->number = (bgt_task)LAUNCH << 16 | (host->tasks.count + 1);
        task->kind = is_event ? BGT_KIND_EVENT : delivery->kind;
        task->event = delivery->event;
        task->flags = delivery->flags;
        task->attempt = delivery->attempt == 0 ? 1 : delivery->attempt;
        task->identifier = copy_text(is_event && delivery->identifier == NULL ? host->plugin : delivery->identifier);
        if (delivery->payload_length > 0) {
            task->payload = memcpy(allocate(delivery->payload_length), delivery->payload, delivery->payload_length);
            task->payload_length = delivery->payload_length;
        }
        task->submission = submission;
        task->fleet_item = delivery->fleet_item;
        task->fence = delivery->fence;
        task->title = copy_text(delivery->title);
        task->subtitle = copy_text(delivery->subtitle);
        task->shown_title = copy_text(delivery->title);
        task->shown_subtitle = copy_text(delivery->subtitle);
        append(&host->tasks, task);
        if (host->phase == RUNNING) begin_task(host, task);
    }
    unlock(host);
    return number;
}

bgt_task bgtt_deliver(bgtt_host *host, const bgtt_delivery *delivery) { return deliver(host, delivery, 1); }

static bool is_over(bgtt_host *host, const void *subject) {
    (void)host;
    const task *task = subject;
    return task->is_completed && task->calls == 0;
}

int32_t bgtt_wait(bgtt_host *host, bgt_task number) {
    lock(host);
    task *task = task_at(host, number);
    int32_t outcome = 0;
    if (task == NULL || (!task->is_delivered && !task->is_completed)) {
        complain("bgtt_wait: this task was not delivered; deliver one that has a handler, after bgtt_enter");
    } else if (await(host, is_over, task)) {
        outcome = task->outcome;
    } else {
        char text[32];
        complain(task->is_completed ? "task %s of %s: a callback has not returned within %u ms"
                                    : "task %s of %s: not completed within %u ms; call bgt_complete",
                 number_of(task, text), task->identifier, host->timeout_ms);
    }
    unlock(host);
    return outcome;
}

int32_t bgtt_run(bgtt_host *host, const char *identifier, uint32_t kind) {
    const bgtt_delivery delivery = {
        .identifier = identifier, .kind = kind, .title = kind == BGT_KIND_CONTINUED ? identifier : NULL};
    const bgt_task task = bgtt_deliver(host, &delivery);
    return task == 0 ? 0 : bgtt_wait(host, task);
}

int32_t bgtt_send(bgtt_host *host, uint32_t event) {
    const bgtt_delivery delivery = {.event = event};
    const bgt_task task = bgtt_deliver(host, &delivery);
    return task == 0 ? 0 : bgtt_wait(host, task);
}

int32_t bgtt_run_pending(bgtt_host *host, const char *identifier) {
    lock(host);
    const bgt_pending *request = NULL;
    for (size_t index = 0; index < host->pending.count && request == NULL; index++) {
        const bgt_pending *next = host->pending.items[index];
        if (strcmp(next->identifier, identifier) != 0) continue;
        request = next;
        remove_at(&host->pending, index);
    }
    unlock(host);
    if (request == NULL) {
        complain("bgtt_run_pending: no request of %s is pending", identifier);
        return 0;
    }
    const bgtt_delivery delivery = {.identifier = identifier,
                                    .kind = request->kind,
                                    .flags = request->flags,
                                    .payload = request->payload,
                                    .payload_length = request->payload_length,
                                    .title = request->title,
                                    .subtitle = request->subtitle};
    const bgt_task task = deliver(host, &delivery, request->submission);
    return task == 0 ? 0 : bgtt_wait(host, task);
}
