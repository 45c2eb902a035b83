/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Background assertions. */

#include "host.h"
#include <stdlib.h>

static size_t count_open(bgtt_host *host) {
    size_t count = 0;
    for (size_t index = 0; index < host->assertions.count; index++) {
        count += ((assertion *)host->assertions.items[index])->is_open;
    }
    return count;
}

bool has_open_assertion(bgtt_host *host) { return count_open(host) > 0; }

size_t bgtt_assertion_count(bgtt_host *host) {
    lock(host);
    const size_t count = count_open(host);
    unlock(host);
    return count;
}

/* Locked. */
static bool begin(bgtt_host *host, bgt_assertion_handler on_expire, void *context, bgt_release release,
                  bgt_assertion *out, problem *problem) {
    const bool has_nothing_open = host->phase == RUNNING && !has_unfinished(host) && !has_open_assertion(host);
    if (has_nothing_open || host->phase == ENDED || host->phase == FAILED || host->assertions_reason != 0) {
        return refuse(problem, BGT_ENDED,
                      "the launch is expiring, or no task and no assertion is open; begin the assertion before the last"
                      " completion and before an expiration");
    }
    if (count_open(host) >= BGTASK_ASSERTIONS_MAX) {
        return refuse(problem, BGT_UNAVAILABLE, "%u assertions are open; end one before the next begins",
                      BGTASK_ASSERTIONS_MAX);
    }
    assertion *added = allocate(sizeof *added);
    *added = (assertion){.host = host,
                         .number = (bgt_assertion)LAUNCH << 32 | (host->assertions.count + 1),
                         .on_expire = on_expire,
                         .context = context,
                         .release = on_expire == NULL ? NULL : release,
                         .is_open = true};
    append(&host->assertions, added);
    *out = added->number;
    return true;
}

static void do_begin(bgtt_host *host, const char *name, bgt_assertion_handler on_expire, void *context,
                     bgt_release release, bgt_assertion *out, problem *problem) {
    if (!permit(host, "begin_assertion", problem)) return;
    if (out == NULL) {
        (void)refuse(problem, BGT_INVALID, "out: NULL; pass the address of a number");
        return;
    }
    char *text = name == NULL ? NULL : read_text(name, BGTASK_TITLE_MAX);
    if (text == NULL) {
        (void)refuse(problem, BGT_INVALID,
                     "name: NULL, longer than 255 bytes, or not UTF-8; name the work in UTF-8 text of at most 255"
                     " bytes");
        return;
    }
    free(text);
    lock(host);
    (void)begin(host, on_expire, context, release, out, problem);
    unlock(host);
}

int32_t host_begin_assertion(const bgt_host *table, const char *name, bgt_assertion_handler on_expire, void *context,
                             bgt_release release, bgt_assertion *out, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    if (out != NULL) *out = 0;
    int32_t status = can_answer(host, refusal);
    if (status == BGT_OK) {
        problem problem = {.status = BGT_OK};
        do_begin(host, name, on_expire, context, release, out, &problem);
        status = answer(refusal, &problem, 0);
    }
    /* Without a function the context will never be used. */
    if ((status != BGT_OK || on_expire == NULL) && release != NULL) release(context);
    return status;
}

static assertion *find(bgtt_host *host, bgt_assertion number) {
    for (size_t index = 0; index < host->assertions.count; index++) {
        assertion *next = host->assertions.items[index];
        if (next->number == number && next->is_open) return next;
    }
    return NULL;
}

int32_t host_end_assertion(const bgt_host *table, bgt_assertion number) {
    bgtt_host *host = host_of(table);
    int32_t status = bar(host, "end_assertion");
    if (status != BGT_OK) return status;
    bgt_release release = NULL;
    void *context = NULL;
    lock(host);
    assertion *assertion = find(host, number);
    if (host->phase == ENDED) {
        status = BGT_ENDED;
    } else if (assertion == NULL) {
        violate(host, "BGT-ABI-08",
                "assertion %llu.%llu was ended, but is not open in this launch; end each assertion once, with the"
                " number that begin_assertion stored",
                (unsigned long long)number >> 32, (unsigned long long)number & 0xffffffffu);
        status = BGT_NOT_FOUND;
    } else {
        assertion->is_open = false;
        /* A call of the handler that has begun releases the context itself. */
        if (assertion->on_expire != NULL) {
            release = assertion->release;
            context = assertion->context;
            assertion->on_expire = NULL;
        }
    }
    unlock(host);
    if (release != NULL) release(context);
    return status;
}

static void call(bgtt_host *host, void *subject) {
    assertion *assertion = subject;
    lock(host);
    const bgt_assertion_handler handler = assertion->is_open ? assertion->on_expire : NULL;
    if (handler != NULL) assertion->on_expire = NULL;
    const uint32_t reason = host->assertions_reason;
    unlock(host);
    if (handler == NULL) return;
    handler(assertion->context, host->table, assertion->number, reason);
    if (assertion->release != NULL) assertion->release(assertion->context);
}

void expire_assertions(bgtt_host *host, uint32_t reason) {
    if (host->assertions_reason != 0 || !has_open_assertion(host)) return;
    host->assertions_reason = reason;
    for (size_t index = 0; index < host->assertions.count; index++) {
        assertion *next = host->assertions.items[index];
        if (next->is_open && next->on_expire != NULL) start_worker(host, call, next);
    }
}
