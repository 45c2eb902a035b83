/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The course of a launch after entry, and its end. */

#include "host.h"

void release_contexts(bgtt_host *host) {
    for (;;) {
        bgt_release release = NULL;
        void *context = NULL;
        lock(host);
        for (size_t index = 0; index < host->registrations.count && release == NULL; index++) {
            registration *next = host->registrations.items[index];
            if (next->calls > 0) continue;
            release = next->release;
            context = next->context;
            next->release = NULL;
        }
        for (size_t index = 0; index < host->tasks.count && release == NULL; index++) {
            task *next = host->tasks.items[index];
            if (next->on_expire == NULL) continue;
            release = next->release;
            context = next->context;
            next->on_expire = NULL;
        }
        for (size_t index = 0; index < host->assertions.count && release == NULL; index++) {
            assertion *next = host->assertions.items[index];
            if (next->on_expire == NULL) continue;
            release = next->release;
            context = next->context;
            next->on_expire = NULL;
        }
        unlock(host);
        if (release == NULL) return;
        release(context);
    }
}

bool bgtt_run_main(bgtt_host *host) {
    lock(host);
    const bool is_running = host->phase == RUNNING;
    unlock(host);
    if (!is_running || host->hooks.run_main == NULL) return false;
    host->hooks.run_main(host->hooks.context, host->table);
    return true;
}

static bool is_settled(bgtt_host *host, const void *subject) {
    (void)subject;
    return host->callbacks == 0;
}

bool bgtt_settle(bgtt_host *host) {
    lock(host);
    const bool result = await(host, is_settled, NULL);
    unlock(host);
    return result;
}

static void stop(bgtt_host *host, void *subject) {
    (void)subject;
    host->hooks.stop(host->hooks.context, host->table);
}

/* Reports the tasks and assertions that are open. Locked. */
static int report_open(bgtt_host *host) {
    int count = 0;
    for (size_t index = 0; index < host->tasks.count; index++) {
        const task *task = host->tasks.items[index];
        if (!task->is_delivered || task->is_completed) continue;
        char text[32];
        complain("task %s of %s was not completed; call bgt_complete once for each task", number_of(task, text),
                 task->identifier);
        count++;
    }
    for (size_t index = 0; index < host->assertions.count; index++) {
        const assertion *next = host->assertions.items[index];
        if (!next->is_open) continue;
        complain("assertion %zu of the launch is still open; call bgt_end_assertion", index + 1);
        count++;
    }
    return count;
}

int bgtt_end(bgtt_host *host) {
    lock(host);
    const bool is_running = host->phase == RUNNING;
    unlock(host);
    if (!is_running) {
        complain("bgtt_end: the launch does not run; call it once, after bgtt_enter has returned BGT_OK");
        return 1;
    }
    int count = 0;
    if (!bgtt_settle(host)) {
        complain("a callback has not returned within %u ms; a host would kill the launch", host->timeout_ms);
        count++;
    }
    lock(host);
    count += report_open(host);
    if (host->hooks.stop != NULL) start_worker(host, stop, NULL);
    unlock(host);
    if (!bgtt_settle(host) && count == 0) {
        complain("`stop` has not returned within %u ms; a host would kill the launch", host->timeout_ms);
        count++;
    }
    lock(host);
    host->phase = ENDED;
    unlock(host);
    release_contexts(host);
    lock(host);
    for (size_t index = 0; index < host->violations.count; index++) {
        complain("violation: %s", (const char *)host->violations.items[index]);
        count++;
    }
    unlock(host);
    return count;
}
