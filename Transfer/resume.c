/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The start of a download: from the cursor of an earlier try, from the bytes behind it, or from nothing. */

#define _GNU_SOURCE

#include "download.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A slice is read without a pause for the other transfers of the process. */
enum { READ_SIZE = 262144, READ_SLICE = 8 << 20 };

/* The boot of the machine as bytes; zeros when it is unknown. */
static void read_boot(uint8_t boot[BOOT_SIZE]) {
    char text[64] = {0};
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    uint8_t digest[DIGEST_SIZE];
    memset(boot, 0, BOOT_SIZE);
    if (file >= 0) {
        close(file);
    }
    if (length > 0) {
        digest_of(text, (size_t)length, digest);
        memcpy(boot, digest, BOOT_SIZE);
    }
}

static int is_same_boot(const struct transfer *transfer) {
    static const uint8_t unknown[BOOT_SIZE];
    return memcmp(transfer->boot, unknown, BOOT_SIZE) != 0
        && memcmp(transfer->boot, transfer->cursor.boot, BOOT_SIZE) == 0;
}

static void read_cursor(struct transfer *transfer) {
    uint8_t bytes[CURSOR_MAX];
    const size_t length = transfer->host->read_cursor(transfer->host->context, transfer->task, bytes, sizeof bytes);
    if (length > 0 && cursor_decode(&transfer->cursor, bytes, length) != 0) {
        transfer->host->log(transfer->host->context, transfer->task, BGT_LOG_WARNING,
                            "the cursor is damaged or of another version; the download begins from the start");
    }
    transfer->has_stored_source = transfer->cursor.has_source;
}

/* Reads the next bytes of a file, at most a slice. Returns 0 or an errno. */
static int read_slice(struct transfer *transfer, const struct part *part, struct digest *digest) {
    uint8_t bytes[READ_SIZE];
    const int64_t left = transfer->read_end - transfer->read_at;
    const int64_t end = transfer->read_at + (left < READ_SLICE ? left : READ_SLICE);
    while (transfer->read_at < end) {
        const int64_t rest = end - transfer->read_at;
        const size_t count = rest < READ_SIZE ? (size_t)rest : READ_SIZE;
        const int problem = part_read(part, transfer->read_at, bytes, count);
        if (problem != 0) {
            return problem;
        }
        digest_add(digest, bytes, count);
        transfer->read_at += (int64_t)count;
    }
    return 0;
}

/* Whether there may be the complete file of a process that was interrupted between the rename and its report.
 * A file of this name may also be older than a restored ledger, so that its digest has to be known. */
static int begin_complete_file(struct transfer *transfer) {
    const struct cursor *cursor = &transfer->cursor;
    struct digest stored;
    if (!cursor->has_source || cursor->total < 0) {
        return 0;
    }
    if (cursor->offset == cursor->total) {
        digest_load(&stored, cursor->digest);
        digest_value(&stored, transfer->wanted);
    } else if (transfer->spec.has_sha256 || cursor->has_expected) {
        memcpy(transfer->wanted, transfer->spec.has_sha256 ? transfer->spec.sha256 : cursor->expected, DIGEST_SIZE);
    } else {
        return 0;
    }
    if (part_open_target(&transfer->part, &transfer->complete) != 0
        || part_size(&transfer->complete) != cursor->total) {
        part_close(&transfer->complete);
        return 0;
    }
    digest_start(&transfer->read_digest);
    transfer->read_end = cursor->total;
    return 1;
}

static void fail_read(struct transfer *transfer, int problem) {
    transfer_fail_file(transfer, "cannot read the incomplete file", problem);
}

/* Continues behind the bytes that count. */
static void resume(struct transfer *transfer) {
    struct cursor *cursor = &transfer->cursor;
    if (transfer->offset > cursor->best) {
        cursor->best = transfer->offset;
        cursor->restarts_without_progress = 0;
    }
    const int problem = part_cut(&transfer->part, transfer->offset);
    if (problem != 0) {
        fail_read(transfer, problem);
        return;
    }
    transfer->checkpoint_at = download_now();
    if (cursor->total >= 0 && transfer->offset == cursor->total) {
        download_verify(transfer);
        return;
    }
    transfer_request(transfer);
}

/* Adds the bytes between the cursor and the end of the incomplete file to the digest. An earlier process of this boot
 * wrote them after its last checkpoint, in order, from the same version of the source: the cursor moves durably before
 * the first byte of another version is written. After a failure of the machine these bytes may be missing, and are
 * discarded. */
static void read_tail(struct transfer *transfer) {
    const int problem = read_slice(transfer, &transfer->part, &transfer->digest);
    if (problem != 0) {
        fail_read(transfer, problem);
        return;
    }
    transfer->offset = transfer->read_at;
    if (transfer->read_at == transfer->read_end) {
        resume(transfer);
    }
}

/* Begins with the incomplete file, where the cursor and the file permit. */
static void restore(struct transfer *transfer) {
    struct cursor *cursor = &transfer->cursor;
    const int64_t size = part_size(&transfer->part);
    part_remove_target(&transfer->part);
    if (!cursor->has_source || size < cursor->offset) {
        cursor->has_source = 0;
        cursor->total = -1;
        resume(transfer);
        return;
    }
    digest_load(&transfer->digest, cursor->digest);
    transfer->offset = transfer->synced = cursor->offset;
    if (!is_same_boot(transfer)) {
        resume(transfer);
        return;
    }
    transfer->read_at = transfer->offset;
    transfer->read_end = cursor->total >= 0 && size > cursor->total ? cursor->total : size;
    read_tail(transfer);
}

static void read_complete_file(struct transfer *transfer) {
    uint8_t found[DIGEST_SIZE];
    const int problem = read_slice(transfer, &transfer->complete, &transfer->read_digest);
    if (problem == 0 && transfer->read_at < transfer->read_end) {
        return;
    }
    part_close(&transfer->complete);
    digest_value(&transfer->read_digest, found);
    if (problem != 0 || memcmp(found, transfer->wanted, DIGEST_SIZE) != 0) {
        restore(transfer);
        return;
    }
    part_remove(&transfer->part);
    transfer->offset = transfer->cursor.total;
    transfer_finish(transfer, transfer->offset);
}

void download_read(struct transfer *transfer) {
    if (transfer->complete.file >= 0) {
        read_complete_file(transfer);
    } else {
        read_tail(transfer);
    }
    if (transfer->state == TRANSFER_READS && transfer->cursor.total > 0) {
        transfer->host->set_progress(transfer->host->context, transfer->task, transfer->read_at,
                                     transfer->cursor.total);
    }
}

void download_start(struct transfer *transfer) {
    const struct spec *spec = &transfer->spec;
    read_boot(transfer->boot);
    read_cursor(transfer);
    const int problem = part_open(&transfer->part, transfer->container, spec->part, spec->target);
    if (problem != 0) {
        transfer_fail_staging(transfer, "cannot open the incomplete file", problem);
    } else if (!begin_complete_file(transfer)) {
        restore(transfer);
    }
}

/* A strong ETag counts for a URL whose query differs, since signatures in queries change from redirect to redirect. A
 * date counts for the same URL only. */
static int is_same_source(const struct transfer *transfer) {
    const struct cursor *cursor = &transfer->cursor;
    if (!cursor->has_source) {
        return 0;
    }
    if (cursor->validator.etag[0] != '\0') {
        return memcmp(cursor->place, transfer->place.place, DIGEST_SIZE) == 0;
    }
    return cursor->validator.last_modified[0] != '\0'
        && memcmp(cursor->address, transfer->place.address, DIGEST_SIZE) == 0;
}

void download_question(struct transfer *transfer) {
    struct question *question = &transfer->question;
    question->offset = transfer->offset;
    question->has_sha256 = transfer->spec.has_sha256;
    question->total = transfer->cursor.total;
    question->validator = transfer->cursor.validator;
    question->asked_range = transfer->offset > 0 && is_same_source(transfer);
    transfer->requested_at = transfer->offset;
}
