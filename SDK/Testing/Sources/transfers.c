/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The calls of the feature for transfers. Nothing is transferred: the test ends each transfer. */

#include "transfers.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

transfer *transfer_at(bgtt_host *host, uint64_t number) {
    if (number == 0 || number > host->transfers.count) return NULL;
    transfer *found = host->transfers.items[number - 1];
    return found->is_forgotten ? NULL : found;
}

char *path_in(const bgtt_host *host, const char *file) {
    const size_t size = strlen(host->container) + strlen(file) + 2;
    char *path = allocate(size);
    snprintf(path, size, "%s/%s", host->container, file);
    return path;
}

/* Whether a call about transfers may go on. With true the host is locked. */
static bool begin_call(bgtt_host *host, const char *call, problem *problem) {
    if (!permit(host, call, problem)) return false;
    lock(host);
    if (host->phase == ENDED) {
        (void)refuse_ended(problem, call);
    } else if (host->role != BGT_ROLE_MAIN) {
        (void)refuse(problem, BGT_WRONG_ROLE, "%s: an extension has no transfers; begin and take them in its main plugin",
                     call);
    }
    if (problem->status == BGT_OK) return true;
    unlock(host);
    return false;
}

static int32_t begin(const bgt_host *table, const bgt_transfer *address, uint64_t *number, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (number != NULL) *number = 0;
    if (problem.status != BGT_OK) return problem.status;
    uint64_t begun = 0;
    if (begin_call(host, "begin", &problem)) {
        transfer *transfer = read_transfer(address, &problem);
        if (transfer != NULL && is_refused(host, &problem)) {
            free_transfer(transfer);
        } else if (transfer != NULL) {
            append(&host->transfers, transfer);
            begun = transfer->number = host->transfers.count;
        }
        unlock(host);
    }
    if (number != NULL) *number = begun;
    keep_problem(host, "begin", &problem);
    return answer(refusal, &problem, begun);
}

static int32_t cancel(const bgt_host *table, uint64_t number, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    if (begin_call(host, "cancel", &problem)) {
        transfer *transfer = transfer_at(host, number);
        if (!is_refused(host, &problem) && transfer != NULL && transfer->state < BGT_TRANSFER_FINISHED) {
            transfer->state = BGT_TRANSFER_CANCELLED;
        }
        unlock(host);
    }
    keep_problem(host, "cancel", &problem);
    return answer(refusal, &problem, 0);
}

/* Copies of the transfers: the strings live until bgtt_free. Locked. */
static bgt_transfer_info *copy_all(bgtt_host *host, const char *session, size_t *count) {
    bgt_transfer_info *infos = allocate(host->transfers.count * sizeof *infos);
    *count = 0;
    for (size_t index = 0; index < host->transfers.count; index++) {
        const transfer *transfer = host->transfers.items[index];
        if (transfer->is_forgotten) continue;
        if (session != NULL && strcmp(session, transfer->begun.session) != 0) continue;
        infos[(*count)++] = (bgt_transfer_info){.size = sizeof *infos,
                                                .kind = transfer->begun.kind,
                                                .state = transfer->state,
                                                .http_status = transfer->http_status,
                                                .number = transfer->number,
                                                .session = transfer->begun.session,
                                                .url = transfer->begun.url,
                                                .label = transfer->begun.label,
                                                .code = transfer->code,
                                                .file = transfer->file,
                                                .bytes = transfer->bytes,
                                                .total = transfer->total};
    }
    return infos;
}

static int32_t visit(bgtt_host *host, const char *session, bgt_transfer_visitor visitor, void *context,
                     problem *problem) {
    if (!begin_call(host, "list", problem)) return BGT_OK;
    size_t count = 0;
    bgt_transfer_info *infos = NULL;
    if (visitor == NULL) {
        (void)refuse(problem, BGT_INVALID, "visitor: NULL; pass a function");
    } else if (session != NULL && !is_session(session)) {
        (void)refuse(problem, BGT_INVALID, "session: NULL or malformed; a name of a session has 1 to 64 lower-case"
                     " letters, digits, '-', '.' and '_'");
    } else if (!is_refused(host, problem)) {
        infos = copy_all(host, session, &count);
    }
    unlock(host);
    int32_t status = BGT_OK;
    for (size_t index = 0; index < count && status == BGT_OK; index++) {
        is_visiting = true;
        status = visitor(context, host->table, &infos[index]);
        is_visiting = false;
    }
    free(infos);
    return status;
}

static int32_t list_transfers(const bgt_host *table, const char *session, bgt_transfer_visitor visitor, void *context,
                              bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    const int32_t status = visit(host, session, visitor, context, &problem);
    keep_problem(host, "list", &problem);
    const int32_t result = answer(refusal, &problem, 0);
    return result == BGT_OK ? status : result;
}

/* The path relative to the container; NULL when it is none. */
static const char *place_in(const bgtt_host *host, const char *to) {
    if (to == NULL) return NULL;
    const size_t length = strlen(host->container);
    const char *file = strncmp(to, host->container, length) == 0 && to[length] == '/' ? to + length + 1 : to;
    return is_path(file) && strncmp(file, ".transfers/", 11) != 0 ? file : NULL;
}

/* Locked. */
static void move(bgtt_host *host, transfer *transfer, const char *file, uint32_t flags, problem *problem) {
    char *source = path_in(host, transfer->file), *target = path_in(host, file);
    if (access(source, F_OK) != 0) {
        /* The plugin has moved or deleted the file without this call: nothing is left to take. */
        (void)refuse(problem, BGT_NOT_FOUND, "transfer %llu has no file to take: it is open or unknown, or its file is"
                     " taken", (unsigned long long)transfer->number);
        append(&host->texts, transfer->file);
        transfer->file = NULL;
    } else if (flags == 0 && access(target, F_OK) == 0) {
        (void)refuse(problem, BGT_DUPLICATE, "%s exists; name another file, or pass BGT_TAKE_REPLACE", target);
    } else if (rename(source, target) != 0) {
        (void)refuse(problem, BGT_UNAVAILABLE, "the file was not moved to %s: %s; create its directory", target,
                     strerror(errno));
    } else {
        /* A visitor may still have the address of the old name. */
        append(&host->texts, transfer->file);
        transfer->file = NULL;
    }
    free(source);
    free(target);
}

static int32_t take(const bgt_host *table, uint64_t number, const char *to, uint32_t flags, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    if (begin_call(host, "take", &problem)) {
        transfer *transfer = transfer_at(host, number);
        const char *file = place_in(host, to);
        if ((flags & ~(uint32_t)BGT_TAKE_REPLACE) != 0) {
            (void)refuse(&problem, BGT_TOO_NEW, "flags %u: only BGT_TAKE_REPLACE is known to this host; pass no other"
                         " bit", flags);
        } else if (file == NULL) {
            (void)refuse(&problem, BGT_INVALID, "to: NULL, or not a path in the container beyond .transfers, such as"
                         " photos/1.jpg; write it without an empty part, . and .., in UTF-8");
        } else if (transfer == NULL || transfer->file == NULL) {
            (void)refuse(&problem, BGT_NOT_FOUND, "transfer %llu has no file to take: it is open or unknown, or its file"
                         " is taken", (unsigned long long)number);
        } else {
            move(host, transfer, file, flags, &problem);
        }
        unlock(host);
    }
    keep_problem(host, "take", &problem);
    return answer(refusal, &problem, 0);
}

const bgt_transfers TRANSFERS = {
    .size = sizeof TRANSFERS,
    .begin = begin,
    .cancel = cancel,
    .list = list_transfers,
    .take = take,
};
