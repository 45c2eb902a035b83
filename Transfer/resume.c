/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The start of a download: from the cursor of an earlier try, from the bytes behind it, or from nothing. */

#define _GNU_SOURCE

#include "download.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { READ_SIZE = 262144 };

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

static int add_bytes(struct digest *digest, const struct part *part, int64_t offset, int64_t end) {
    uint8_t bytes[READ_SIZE];
    while (offset < end) {
        const size_t count = end - offset < READ_SIZE ? (size_t)(end - offset) : READ_SIZE;
        const int problem = part_read(part, offset, bytes, count);
        if (problem != 0) {
            return problem;
        }
        digest_add(digest, bytes, count);
        offset += (int64_t)count;
    }
    return 0;
}

/* Adds the bytes between the cursor and the end of the incomplete file to the digest. An earlier process of this boot
 * wrote them after its last checkpoint, in order, from the same version of the source: the cursor moves durably before
 * the first byte of another version is written. After a failure of the machine these bytes may be missing, and are
 * discarded. */
static int read_tail(struct transfer *transfer, int64_t size) {
    const int64_t total = transfer->cursor.total;
    const int64_t end = total >= 0 && size > total ? total : size;
    const int problem = add_bytes(&transfer->digest, &transfer->part, transfer->offset, end);
    transfer->offset = problem == 0 ? end : transfer->offset;
    return problem;
}

/* Whether the complete file of an earlier process is there, which was interrupted between the rename and its report.
 * A file of this name may also be older than a restored ledger, so that its digest has to be known. */
static int has_complete_file(struct transfer *transfer) {
    const struct cursor *cursor = &transfer->cursor;
    struct part target;
    struct digest stored, found;
    uint8_t wanted[DIGEST_SIZE], value[DIGEST_SIZE];
    if (!cursor->has_source || cursor->total < 0 || part_open_target(&transfer->part, &target) != 0) {
        return 0;
    }
    digest_load(&stored, cursor->digest);
    digest_value(&stored, wanted);
    int is_known = cursor->offset == cursor->total;
    if (!is_known && (transfer->spec.has_sha256 || cursor->has_expected)) {
        is_known = 1;
        memcpy(wanted, transfer->spec.has_sha256 ? transfer->spec.sha256 : cursor->expected, DIGEST_SIZE);
    }
    digest_start(&found);
    const int is_read = is_known && part_size(&target) == cursor->total
                     && add_bytes(&found, &target, 0, cursor->total) == 0;
    digest_value(&found, value);
    part_close(&target);
    return is_read && memcmp(value, wanted, DIGEST_SIZE) == 0;
}

/* Continues where the cursor and the file permit. Returns 0 or an errno. */
static int restore(struct transfer *transfer) {
    struct cursor *cursor = &transfer->cursor;
    const int64_t size = part_size(&transfer->part);
    if (!cursor->has_source || size < cursor->offset) {
        cursor->has_source = 0;
        cursor->total = -1;
        return part_cut(&transfer->part, 0);
    }
    digest_load(&transfer->digest, cursor->digest);
    transfer->offset = transfer->synced = cursor->offset;
    const int problem = is_same_boot(transfer) ? read_tail(transfer, size) : 0;
    if (transfer->offset > cursor->best) {
        cursor->best = transfer->offset;
        cursor->barren = 0;
    }
    return problem != 0 ? problem : part_cut(&transfer->part, transfer->offset);
}

void download_start(struct transfer *transfer) {
    const struct spec *spec = &transfer->spec;
    read_boot(transfer->boot);
    read_cursor(transfer);
    int problem = part_open(&transfer->part, transfer->container, spec->part, spec->target);
    if (problem != 0) {
        transfer_fail_staging(transfer, "cannot open the incomplete file", problem);
        return;
    }
    if (has_complete_file(transfer)) {
        part_remove(&transfer->part);
        transfer->offset = transfer->cursor.total;
        transfer_finish(transfer, transfer->offset);
        return;
    }
    part_remove_target(&transfer->part);
    problem = restore(transfer);
    if (problem != 0) {
        transfer_fail_file(transfer, "cannot read the incomplete file", problem);
        return;
    }
    transfer->checkpoint_at = download_now();
    if (transfer->cursor.total >= 0 && transfer->offset == transfer->cursor.total) {
        download_verify(transfer);
        return;
    }
    transfer_request(transfer);
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
