/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Registrations for pushes. The test sets the token; a real host issues a random one. */

#include "host.h"
#include <string.h>

static bool permit_pushes(bgtt_host *host, const char *call, problem *problem) {
    if (!permit(host, call, problem)) return false;
    lock(host);
    if (host->phase == ENDED) {
        (void)refuse_ended(problem, call);
    } else if (host->role != BGT_ROLE_MAIN) {
        (void)refuse(problem, BGT_WRONG_ROLE, "%s: an extension receives no pushes; register in its main plugin", call);
    } else if (!host->has_push_mode) {
        problem->sub_reason = BGT_REASON_MODE_REMOTE_NOTIFICATION_MISSING;
        (void)refuse(problem, BGT_NOT_PERMITTED,
                     "%s: pushes need the background mode remote-notification, which the manifest of %s does not list;"
                     " add it to background-modes",
                     call, host->plugin);
    }
    unlock(host);
    return problem->status == BGT_OK;
}

/* Locked. */
static void copy_token(bgtt_host *host, uint8_t *buffer, uint64_t capacity, uint64_t *needed, problem *problem) {
    if (is_refused(host, problem)) return;
    host->is_registered = true;
    if (needed != NULL) *needed = host->push_token_length;
    if (buffer == NULL || capacity < host->push_token_length) {
        (void)refuse(problem, BGT_TRUNCATED,
                     "capacity: %llu bytes; the device token has %zu, so pass a buffer of BGTASK_PUSH_TOKEN_MAX bytes",
                     (unsigned long long)capacity, host->push_token_length);
        return;
    }
    memcpy(buffer, host->push_token, host->push_token_length);
}

static int32_t register_plugin(const bgt_host *table, uint8_t *buffer, uint64_t capacity, uint64_t *needed,
                               bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    if (permit_pushes(host, "register_plugin", &problem)) {
        if (buffer == NULL && capacity > 0) {
            (void)refuse(&problem, BGT_INVALID, "buffer: NULL, but capacity is %llu; pass a buffer of"
                         " BGTASK_PUSH_TOKEN_MAX bytes", (unsigned long long)capacity);
        } else {
            lock(host);
            copy_token(host, buffer, capacity, needed, &problem);
            unlock(host);
        }
    }
    keep_problem(host, "register_plugin", &problem);
    return answer(refusal, &problem, 0);
}

static int32_t unregister_plugin(const bgt_host *table, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    if (permit_pushes(host, "unregister_plugin", &problem)) {
        lock(host);
        if (!is_refused(host, &problem)) host->is_registered = false;
        unlock(host);
    }
    keep_problem(host, "unregister_plugin", &problem);
    return answer(refusal, &problem, 0);
}

const bgt_pushes PUSHES = {
    .size = sizeof PUSHES,
    .register_plugin = register_plugin,
    .unregister_plugin = unregister_plugin,
};

void bgtt_set_push_mode(bgtt_host *host, bool has_mode) {
    lock(host);
    host->has_push_mode = has_mode;
    unlock(host);
}

bool bgtt_set_push_token(bgtt_host *host, const void *bytes, size_t length) {
    if (bytes == NULL || length == 0 || length > BGTASK_PUSH_TOKEN_MAX) {
        complain("bgtt_set_push_token: a device token has 1 to %u bytes, not %zu", BGTASK_PUSH_TOKEN_MAX, length);
        return false;
    }
    lock(host);
    memcpy(host->push_token, bytes, length);
    host->push_token_length = length;
    unlock(host);
    return true;
}

bool bgtt_is_registered_for_pushes(bgtt_host *host) {
    lock(host);
    const bool is_registered = host->is_registered;
    unlock(host);
    return is_registered;
}
