/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Cursors of tasks. They are kept from run to run until the host is freed; every one is durable. */

#include "host.h"
#include <string.h>
#include <time.h>

/* The cursor of the identifier; NULL when it never had one. Locked. */
static cursor *find_cursor(bgtt_host *host, const char *identifier) {
    for (size_t index = 0; index < host->cursors.count; index++) {
        cursor *cursor = host->cursors.items[index];
        if (strcmp(cursor->identifier, identifier) == 0) return cursor;
    }
    return NULL;
}

static int64_t wall_ns(void) {
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Locked. */
static void write_cursor(bgtt_host *host, const char *identifier, const void *bytes, uint64_t length, char *version,
                         uint64_t submission) {
    cursor *cursor = find_cursor(host, identifier);
    if (cursor == NULL) {
        cursor = allocate(sizeof *cursor);
        cursor->identifier = copy_text(identifier);
        append(&host->cursors, cursor);
    }
    /* The plugin may still hold the earlier version. */
    append(&host->texts, cursor->version);
    memcpy(cursor->bytes, bytes, length);
    cursor->length = length;
    cursor->version = version;
    cursor->submission = submission;
    cursor->moved_at_ns = wall_ns();
}

void drop_cursor(bgtt_host *host, const task *task) {
    cursor *cursor = task->kind == BGT_KIND_EVENT ? NULL : find_cursor(host, task->identifier);
    if (cursor != NULL) cursor->length = 0;
}

/* The status of a call about the cursor of a task; BGT_OK when it may have one. Locked. */
static int32_t presence_of_request(bgtt_host *host, bgt_task number, task **found) {
    const int32_t status = presence(host, number, found);
    return status == BGT_OK && (*found)->kind == BGT_KIND_EVENT ? BGT_WRONG_KIND : status;
}

static int32_t copy_cursor(const cursor *cursor, bgt_cursor_info *info, uint8_t *buffer, uint64_t capacity) {
    if (cursor == NULL || cursor->length == 0) return BGT_NOT_FOUND;
    if (info != NULL) {
        const bgt_cursor_info filled = {
            .length = cursor->length,
            .moved_at_ns = cursor->moved_at_ns,
            .submission = cursor->submission,
            .version = cursor->version,
        };
        (void)fill(info, &filled, sizeof filled, 40);
    }
    if (buffer == NULL || capacity < cursor->length) return BGT_TRUNCATED;
    memcpy(buffer, cursor->bytes, cursor->length);
    return BGT_OK;
}

static int32_t cursor_read(const bgt_host *table, bgt_task number, bgt_cursor_info *info, uint8_t *buffer,
                           uint64_t capacity) {
    bgtt_host *host = host_of(table);
    int32_t status = bar(host, "read");
    if (status != BGT_OK) return status;
    if ((info != NULL && !has_valid_size(info, 40)) || (buffer == NULL && capacity > 0)) return BGT_INVALID;
    lock(host);
    task *task;
    status = presence_of_request(host, number, &task);
    if (status == BGT_OK) status = copy_cursor(find_cursor(host, task->identifier), info, buffer, capacity);
    unlock(host);
    return status;
}

/* Moves the cursor of a task; a length of 0 discards it. A durable move may have a failed commit. */
static void move_cursor(bgtt_host *host, bgt_task number, const void *bytes, uint64_t length, bool is_durable,
                        const char *call, problem *problem) {
    lock(host);
    task *task;
    const int32_t status = presence_of_request(host, number, &task);
    if (status == BGT_OK) {
        write_cursor(host, task->identifier, bytes, length, NULL, task->submission);
        if (is_durable) (void)is_refused(host, problem);
    } else {
        (void)refuse(problem, status, "%s: the task has no cursor now: it is unknown, completed, or an event", call);
    }
    unlock(host);
}

static int32_t cursor_checkpoint(const bgt_host *table, bgt_task number, const uint8_t *bytes, uint64_t length,
                                 uint32_t flags, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    if (permit(host, "checkpoint", &problem)) {
        if ((flags & ~(uint32_t)BGT_CHECKPOINT_DURABLE) != 0) {
            (void)refuse(&problem, BGT_TOO_NEW,
                         "flags %u: only BGT_CHECKPOINT_DURABLE is known to this host; pass no other bit", flags);
        } else if (bytes == NULL || length == 0 || length > BGTASK_CURSOR_MAX) {
            (void)refuse(&problem, BGT_INVALID,
                         "a cursor has 1 to %u bytes, and this one has %llu, or is NULL; store more in the container,"
                         " and its place in the cursor",
                         BGTASK_CURSOR_MAX, (unsigned long long)length);
        } else {
            move_cursor(host, number, bytes, length, flags != 0, "checkpoint", &problem);
        }
    }
    return answer(refusal, &problem, 0);
}

static int32_t cursor_discard(const bgt_host *table, bgt_task number, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    if (permit(host, "discard", &problem)) move_cursor(host, number, "", 0, true, "discard", &problem);
    return answer(refusal, &problem, 0);
}

const bgt_cursors CURSORS = {
    .size = sizeof CURSORS,
    .read = cursor_read,
    .checkpoint = cursor_checkpoint,
    .discard = cursor_discard,
};

bool bgtt_set_cursor(bgtt_host *host, const char *identifier, const void *bytes, size_t length, const char *version) {
    if (length == 0 || length > BGTASK_CURSOR_MAX) {
        complain("bgtt_set_cursor: a cursor has 1 to %u bytes, not %zu", BGTASK_CURSOR_MAX, length);
        return false;
    }
    lock(host);
    write_cursor(host, identifier, bytes, length, copy_text(version), 0);
    unlock(host);
    return true;
}

size_t bgtt_cursor(bgtt_host *host, const char *identifier, void *buffer, size_t capacity) {
    lock(host);
    const cursor *cursor = find_cursor(host, identifier);
    const size_t length = cursor == NULL ? 0 : (size_t)cursor->length;
    if (length > 0 && length <= capacity) memcpy(buffer, cursor->bytes, length);
    unlock(host);
    return length;
}
