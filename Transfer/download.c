/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A download in progress: the body of the answer, checkpoints, and the end of each request. */

#define _GNU_SOURCE

#include "download.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CHECKPOINT_MS = 1000 };

int64_t download_now(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int download_checkpoint(struct transfer *transfer, int is_durable) {
    struct cursor *cursor = &transfer->cursor;
    uint8_t bytes[CURSOR_MAX];
    transfer->checkpoint_at = download_now();
    if (transfer->part.file < 0 || !cursor->has_source || (transfer->offset == transfer->synced && !is_durable)) {
        return 0;
    }
    const int problem = part_sync(&transfer->part);
    if (problem != 0) {
        /* The kernel may have dropped the bytes: they do not count, neither now nor for a later process. */
        part_cut(&transfer->part, cursor->offset);
        transfer->offset = transfer->synced = cursor->offset;
        digest_load(&transfer->digest, cursor->digest);
        return problem;
    }
    cursor->offset = transfer->offset;
    digest_save(&transfer->digest, cursor->digest);
    memcpy(cursor->boot, transfer->boot, BOOT_SIZE);
    const size_t length = cursor_encode(cursor, bytes);
    if (transfer->host->write_cursor(transfer->host->context, transfer->task, bytes, length, is_durable) != 0) {
        return EAGAIN;
    }
    transfer->synced = transfer->offset;
    transfer->has_stored_source = 1;
    return 0;
}

/* Applies the decision about an answer. Returns 0 when the body follows, else -1. */
static int apply(struct transfer *transfer) {
    response_finish(&transfer->response);
    transfer->decision = decide(&transfer->question, &transfer->response);
    transfer->is_decided = 1;
    switch (transfer->decision.action) {
    case ACTION_BEGIN: return download_begin_file(transfer);
    case ACTION_REPLACE: return download_count_restart(transfer) != 0 ? -1 : download_begin_file(transfer);
    case ACTION_APPEND: return download_accept_part(transfer);
    default: return -1;
    }
}

static int keeps_body(const struct transfer *transfer) {
    const enum action action = transfer->decision.action;
    return action == ACTION_BEGIN || action == ACTION_REPLACE || action == ACTION_APPEND;
}

static int keep(struct transfer *transfer, const char *bytes, size_t count) {
    const int64_t end = transfer->body_end >= 0 ? transfer->body_end : transfer->cursor.total;
    if (end >= 0 && transfer->offset + (int64_t)count > end) {
        transfer->is_longer = 1;
        return -1;
    }
    const int problem = part_write(&transfer->part, transfer->offset, bytes, count);
    if (problem != 0) {
        transfer_fail_file(transfer, "cannot write the file", problem);
        return -1;
    }
    digest_add(&transfer->digest, bytes, count);
    transfer->offset += (int64_t)count;
    if (transfer->offset > transfer->cursor.best) {
        transfer->cursor.best = transfer->offset;
        transfer->cursor.restarts_without_progress = 0;
    }
    return 0;
}

static size_t read_body(char *bytes, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    (void)size;
    if (rate_is_exhausted(transfer->rate)) {
        transfer->is_paused = 1;
        return CURL_WRITEFUNC_PAUSE;
    }
    rate_take(transfer->rate, (int64_t)count);
    if (!transfer->is_decided) {
        apply(transfer);
    }
    if (transfer->state == TRANSFER_ENDED) {
        return 0;
    }
    if (keeps_body(transfer)) {
        return keep(transfer, bytes, count) == 0 ? count : 0;
    }
    /* A short body is read to its end, so that the connection serves again. */
    transfer->discarded += count;
    return transfer->discarded > DISCARDED_MAX || transfer->decision.action == ACTION_RESTART ? 0 : count;
}

CURLcode download_set(struct transfer *transfer) {
    return curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, read_body);
}

void download_restart(struct transfer *transfer) {
    if (download_count_restart(transfer) == 0 && download_discard(transfer) == 0) {
        transfer_request_first(transfer);
    }
}

static void end_body(struct transfer *transfer, CURLcode code) {
    struct cursor *cursor = &transfer->cursor;
    if (transfer->is_longer && transfer->decision.action != ACTION_APPEND) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_SIZE_MISMATCH,
                      "the file has more than the expected %lld bytes", (long long)transfer->spec.size);
        return;
    }
    if (transfer->is_longer) {
        transfer->decision = (struct decision){.message = "the server sent more bytes than it announced"};
        download_restart(transfer);
        return;
    }
    if (code != CURLE_OK) {
        transfer_fail_request(transfer, code);
        return;
    }
    if (cursor->total < 0) {
        cursor->total = transfer->offset;
    }
    if (transfer->offset == cursor->total) {
        download_verify(transfer);
    } else if (transfer->offset > transfer->requested_at) {
        transfer_request_first(transfer); /* the answer was a part, or ended early */
    } else {
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_NETWORK,
                      "%.100s ended its answer without a byte of the file", transfer->place.origin);
    }
}

void download_continue(struct transfer *transfer, CURLcode code) {
    if (!transfer->is_decided && code == CURLE_OK) {
        apply(transfer); /* an answer without a body */
        if (transfer->state == TRANSFER_ENDED) {
            return;
        }
    }
    if (!transfer->is_decided) {
        transfer_fail_request(transfer, code);
        return;
    }
    switch (transfer->decision.action) {
    case ACTION_BEGIN:
    case ACTION_REPLACE:
    case ACTION_APPEND: end_body(transfer, code); return;
    case ACTION_RESTART: download_restart(transfer); return;
    case ACTION_COMPLETE:
        transfer->cursor.total = transfer->offset;
        download_verify(transfer);
        return;
    case ACTION_REDIRECT: transfer_redirect(transfer); return;
    default: transfer_fail_decided(transfer); return;
    }
}

void download_tick(struct transfer *transfer, int64_t now) {
    const int64_t total = transfer->cursor.total < 0 ? BGT_TRANSFER_UNKNOWN_TOTAL : transfer->cursor.total;
    const int is_far = transfer->offset - transfer->synced >= transfer->limits->checkpoint_bytes;
    if (is_far || now - transfer->checkpoint_at >= CHECKPOINT_MS) {
        int problem = download_checkpoint(transfer, 0);
        if (problem == 0) {
            problem = part_check_space(&transfer->part, transfer->offset, transfer->offset, transfer->spec.reserve);
        }
        if (problem != 0 && problem != EAGAIN) {
            transfer_fail_file(transfer, "cannot write the file", problem);
            return;
        }
    }
    if (transfer->offset != transfer->shown && total > 0) {
        transfer->shown = transfer->offset;
        transfer->host->set_progress(transfer->host->context, transfer->task, transfer->offset, total);
    }
}
