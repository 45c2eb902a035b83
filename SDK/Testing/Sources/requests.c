/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Calls that a host answers: submit, cancel, cancel_all, pending. */

#include "host.h"
#include "submission.h"
#include <stdlib.h>
#include <string.h>

bool is_refused(bgtt_host *host, problem *problem) {
    if (host->refusals_taken == host->refusals.count) return false;
    const refusal *next = host->refusals.items[host->refusals_taken++];
    (void)refuse(problem, next->status, "%s", next->text);
    problem->sub_reason = next->sub_reason;
    return true;
}

void bgtt_refuse_next(bgtt_host *host, int32_t status, uint32_t sub_reason, const char *text) {
    if (status == BGT_OK) {
        complain("bgtt_refuse_next: BGT_OK is no refusal; pass another status");
        return;
    }
    refusal *next = allocate(sizeof *next);
    *next = (refusal){.status = status, .sub_reason = sub_reason, .text = copy_text(text == NULL ? "" : text)};
    lock(host);
    append(&host->refusals, next);
    unlock(host);
}

static size_t pending_index(bgtt_host *host, const char *identifier) {
    for (size_t index = 0; index < host->pending.count; index++) {
        const bgt_pending *request = host->pending.items[index];
        if (strcmp(request->identifier, identifier) == 0) return index;
    }
    return SIZE_MAX;
}

/* A pattern permits continued requests alone. Locked. */
static bool admit(bgtt_host *host, const bgt_pending *request, problem *problem) {
    if (host->phase == ENDED) return refuse_ended(problem, "submit");
    const char *identifier = request->identifier;
    if (host->role == BGT_ROLE_MAIN && is_permitted(host, identifier, false)
        && registration_for(host, identifier) == NULL) {
        (void)refuse(problem, BGT_UNREGISTERED,
                     "\"%s\" was submitted without a handler in this process; register a handler of it, or of a"
                     " permitted pattern that covers it, before the submission",
                     identifier);
        violate(host, "BGT-ABI-10", "%s", problem->text);
        return false;
    }
    if (request->kind != BGT_KIND_CONTINUED && serves_continued_alone(host, identifier)) {
        (void)refuse(problem, BGT_UNREGISTERED,
                     "\"%s\" was submitted as another kind than continued, but its handler was registered after entry,"
                     " for continued tasks alone; register it during entry",
                     identifier);
        violate(host, "BGT-ABI-10", "%s", problem->text);
        return false;
    }
    if (is_refused(host, problem)) return false;
    if (is_permitted(host, identifier, request->kind != BGT_KIND_CONTINUED)) return true;
    problem->sub_reason = BGT_REASON_IDENTIFIER_NOT_PERMITTED;
    return refuse(problem, BGT_NOT_PERMITTED,
                  "the manifest of %s does not permit the identifier %s for this kind; add it to"
                  " permitted-identifiers, in the test with bgtt_permit",
                  host->plugin, identifier);
}

int32_t host_submit(const bgt_host *table, const bgt_request *request, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    if (!permit(host, "submit", &problem)) return answer(refusal, &problem, 0);
    bgt_pending *submission = read_submission(request, &problem);
    if (submission == NULL) return answer(refusal, &problem, 0);
    lock(host);
    const bool is_accepted = admit(host, submission, &problem);
    uint64_t number = 0;
    if (is_accepted) {
        const size_t replaced = pending_index(host, submission->identifier);
        if (replaced != SIZE_MAX) remove_at(&host->pending, replaced);
        append(&host->submissions, submission);
        append(&host->pending, submission);
        number = submission->submission = host->submissions.count;
    }
    unlock(host);
    if (!is_accepted) free_request(submission);
    keep_problem(host, "submit", &problem);
    return answer(refusal, &problem, number);
}

int32_t host_cancel(const bgt_host *table, const char *identifier, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    char *name = permit(host, "cancel", &problem) ? read_identifier(identifier, &problem) : NULL;
    if (name == NULL) return answer(refusal, &problem, 0);
    lock(host);
    bool is_recorded = false;
    if (host->phase == ENDED) {
        (void)refuse_ended(&problem, "cancel");
    } else if (!is_refused(host, &problem)) {
        is_recorded = true;
        const size_t index = pending_index(host, name);
        if (index != SIZE_MAX) remove_at(&host->pending, index);
        append(&host->cancellations, name);
    }
    unlock(host);
    if (!is_recorded) free(name);
    return answer(refusal, &problem, 0);
}

int32_t host_cancel_all(const bgt_host *table, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    if (!permit(host, "cancel_all", &problem)) return answer(refusal, &problem, 0);
    lock(host);
    if (host->phase == ENDED) {
        (void)refuse_ended(&problem, "cancel_all");
    } else if (!is_refused(host, &problem)) {
        host->pending.count = 0;
        append(&host->cancellations, copy_text("*"));
    }
    unlock(host);
    return answer(refusal, &problem, 0);
}

/* Visits copies: a submission of another thread does not change the list. The requests live until bgtt_free. */
static int32_t visit(bgtt_host *host, bgt_pending_visitor visitor, void *context, problem *problem) {
    if (!permit(host, "pending", problem)) return BGT_OK;
    if (visitor == NULL) {
        (void)refuse(problem, BGT_INVALID, "visitor: NULL; pass a function");
        return BGT_OK;
    }
    lock(host);
    if (host->phase == ENDED) (void)refuse_ended(problem, "pending");
    const bool is_open = host->phase != ENDED && !is_refused(host, problem);
    const size_t count = is_open ? host->pending.count : 0;
    bgt_pending *requests = allocate(count * sizeof *requests);
    for (size_t index = 0; index < count; index++) requests[index] = *(bgt_pending *)host->pending.items[index];
    unlock(host);
    int32_t status = BGT_OK;
    for (size_t index = 0; index < count && status == BGT_OK; index++) {
        is_visiting = true;
        status = visitor(context, host->table, &requests[index]);
        is_visiting = false;
    }
    free(requests);
    return status;
}

int32_t host_pending(const bgt_host *table, bgt_pending_visitor visitor, void *context, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    const int32_t last = visit(host, visitor, context, &problem);
    const int32_t status = answer(refusal, &problem, 0);
    return status == BGT_OK ? last : status;
}
