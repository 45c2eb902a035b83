/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Checks that every call of the plugin has in common, and their answers. */

#include "host.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Thread_local bool is_visiting;

void violate(bgtt_host *host, const char *rule, const char *format, ...) {
    char line[1024];
    int size = snprintf(line, sizeof line, "%s: ", rule);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + size, sizeof line - (size_t)size, format, arguments);
    va_end(arguments);
    append(&host->violations, copy_text(line));
}

int32_t bar(bgtt_host *host, const char *call) {
    if (is_forked(host)) return BGT_ENDED;
    lock(host);
    int32_t status = BGT_OK;
    if (is_visiting) {
        violate(host, "BGT-ABI-12", "%s was called in a visitor of pending; call it after pending returns", call);
        status = BGT_WRONG_PHASE;
    } else if (host->phase == ENDED) {
        status = BGT_ENDED;
    }
    unlock(host);
    return status;
}

bool refuse(problem *problem, int32_t status, const char *format, ...) {
    problem->status = status;
    va_list arguments;
    va_start(arguments, format);
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *whole = read_repaired(text, sizeof problem->text - 1);
    snprintf(problem->text, sizeof problem->text, "%s", whole);
    free(whole);
    return false;
}

bool refuse_ended(problem *problem, const char *call) {
    return refuse(problem, BGT_ENDED,
                  "%s: the launch has ended, and the call was not recorded; call it before the last completion, or hold"
                  " an assertion until it has returned",
                  call);
}

bool permit(bgtt_host *host, const char *call, problem *problem) {
    const int32_t status = bar(host, call);
    if (status == BGT_OK) return true;
    if (status == BGT_ENDED) return refuse_ended(problem, call);
    return refuse(problem, status, "%s: not allowed in a visitor of pending; call it after pending has returned", call);
}

bool is_forked(bgtt_host *host) { return getpid() != host->process; }

int32_t can_answer(bgtt_host *host, const bgt_refusal *refusal) {
    if (is_forked(host)) return BGT_ENDED;
    return refusal == NULL || has_valid_size(refusal, 256) ? BGT_OK : BGT_INVALID;
}

int32_t answer(bgt_refusal *refusal, const problem *problem, uint64_t submission) {
    if (refusal == NULL) return problem->status;
    bgt_refusal filled = {.sub_reason = problem->sub_reason, .submission = submission};
    memcpy(filled.text, problem->text, sizeof filled.text);
    (void)fill(refusal, &filled, sizeof filled, 256);
    return problem->status;
}
