/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* One version of the source: the start of its file, its restarts, its rest, and its check at the end. */

#define _GNU_SOURCE

#include "download.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Files below this size are fetched again rather than continued: a cursor for each of many small files costs more. */
enum { SMALL_FILE = 1 << 20 };

static int fail_size(struct transfer *transfer, int64_t found) {
    transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_SIZE_MISMATCH,
                  "the file has %lld bytes, expected %lld", (long long)found, (long long)transfer->spec.size);
    return -1;
}

static int fail_file(struct transfer *transfer, int problem) {
    if (problem == EAGAIN) {
        transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_INSUFFICIENT_STORAGE,
                      "the host could not store the place of the download");
    } else {
        transfer_fail_file(transfer, "cannot store the file", problem);
    }
    return -1;
}

static void read_expected_digest(struct transfer *transfer) {
    if (transfer->response.has_digest) {
        transfer->cursor.has_expected = 1;
        memcpy(transfer->cursor.expected, transfer->response.digest, DIGEST_SIZE);
    }
}

static int check_space(struct transfer *transfer) {
    const int problem =
        part_check_space(&transfer->part, transfer->offset, transfer->cursor.total, transfer->spec.reserve);
    return problem != 0 ? fail_file(transfer, problem) : 0;
}

int download_count_restart(struct transfer *transfer) {
    struct cursor *cursor = &transfer->cursor;
    char line[MESSAGE_MAX];
    const char *cause = transfer->decision.message;
    cursor->restarts++;
    cursor->source_changes += transfer->decision.source_changed != 0;
    if (++cursor->restarts_without_progress > RESTARTS_MAX) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_TOO_MANY_RESTARTS,
                      "began again %d times without progress: %s", RESTARTS_MAX, cause);
        return -1;
    }
    snprintf(line, sizeof line, "begins again at %lld bytes: %s", (long long)transfer->offset, cause);
    transfer->host->log(transfer->host->context, transfer->task, BGT_LOG_INFO, line);
    return 0;
}

/* Empties the file, and stores a cursor without progress. The order protects the file: no byte of another version is
 * written while a stored cursor still names the earlier one. */
static int empty(struct transfer *transfer) {
    int problem = part_cut(&transfer->part, 0);
    transfer->offset = transfer->synced = transfer->cursor.offset = 0;
    transfer->body_end = -1;
    digest_start(&transfer->digest);
    digest_save(&transfer->digest, transfer->cursor.digest);
    if (problem == 0 && transfer->has_stored_source) {
        problem = download_checkpoint(transfer, 1);
    }
    return problem != 0 ? fail_file(transfer, problem) : 0;
}

static void forget_source(struct cursor *cursor) {
    cursor->total = -1;
    cursor->has_expected = 0;
    memset(&cursor->validator, 0, sizeof cursor->validator);
}

int download_discard(struct transfer *transfer) {
    forget_source(&transfer->cursor);
    return empty(transfer);
}

int download_begin_file(struct transfer *transfer) {
    struct cursor *cursor = &transfer->cursor;
    const int64_t total = transfer->decision.total, wanted = transfer->spec.size;
    if (total >= 0 && wanted >= 0 && total != wanted) {
        return fail_size(transfer, total);
    }
    forget_source(cursor);
    cursor->has_source = 1;
    cursor->total = total >= 0 ? total : wanted;
    cursor->validator = transfer->response.validator;
    memcpy(cursor->address, transfer->place.address, DIGEST_SIZE);
    memcpy(cursor->place, transfer->place.place, DIGEST_SIZE);
    read_expected_digest(transfer);
    if (empty(transfer) != 0 || check_space(transfer) != 0) {
        return -1;
    }
    if (!transfer->has_stored_source && (cursor->total < 0 || cursor->total > SMALL_FILE)) {
        transfer->synced = -1; /* stores the validator before the first bytes */
        download_checkpoint(transfer, 0);
    }
    return 0;
}

int download_accept_part(struct transfer *transfer) {
    struct cursor *cursor = &transfer->cursor;
    const int64_t total = transfer->decision.total, wanted = transfer->spec.size;
    if (total >= 0 && wanted >= 0 && total != wanted) {
        return fail_size(transfer, total);
    }
    if (total >= 0) {
        cursor->total = total;
    }
    transfer->body_end = transfer->response.range_end + 1;
    read_expected_digest(transfer);
    return check_space(transfer);
}

/* A server that ignores If-Range may have sent the parts of two versions: a continued file is fetched once more, within
 * the limit of restarts. */
static void fail_digest(struct transfer *transfer, const char *message) {
    const int is_continued = transfer->question.asked_range || transfer->response.status == 0;
    if (is_continued) {
        transfer->decision = (struct decision){.message = message};
        download_restart(transfer);
        return;
    }
    transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_DIGEST_MISMATCH, "%s", message);
}

/* A digest of the server covers the file as it is sent; it finds errors on the way, and the vendor's finds a wrong
 * server too. */
void download_verify(struct transfer *transfer) {
    const struct spec *spec = &transfer->spec;
    const struct cursor *cursor = &transfer->cursor;
    uint8_t value[DIGEST_SIZE];
    if (spec->size >= 0 && transfer->offset != spec->size) {
        fail_size(transfer, transfer->offset);
        return;
    }
    digest_value(&transfer->digest, value);
    if (spec->has_sha256 && memcmp(value, spec->sha256, DIGEST_SIZE) != 0) {
        fail_digest(transfer, "the SHA-256 of the file is not the expected one");
        return;
    }
    if (cursor->has_expected && memcmp(value, cursor->expected, DIGEST_SIZE) != 0) {
        fail_digest(transfer, "the SHA-256 of the file is not that of the server's header Repr-Digest");
        return;
    }
    if (transfer->offset > SMALL_FILE) {
        download_checkpoint(transfer, 0);
    }
    transfer->state = TRANSFER_READY;
}
