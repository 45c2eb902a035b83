/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The ends of transfers, and of sessions, which the test decides. */

#include "transfers.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

size_t bgtt_transfer_count(bgtt_host *host) {
    lock(host);
    const size_t count = host->transfers.count;
    unlock(host);
    return count;
}

const bgt_transfer *bgtt_transfer(bgtt_host *host, size_t index) {
    lock(host);
    const bgt_transfer *result = index < host->transfers.count ? &((transfer *)host->transfers.items[index])->begun : NULL;
    unlock(host);
    return result;
}

/* Locked. */
static bool write_file(bgtt_host *host, transfer *transfer, const void *bytes, size_t length) {
    char name[64];
    snprintf(name, sizeof name, ".transfers/%llu", (unsigned long long)transfer->number);
    char *directory = path_in(host, ".transfers"), *path = path_in(host, name);
    FILE *file = mkdir(directory, 0700) == 0 || errno == EEXIST ? fopen(path, "w") : NULL;
    const bool is_complete = file != NULL && (length == 0 || fwrite(bytes, 1, length, file) == length);
    const bool is_written = (file == NULL || fclose(file) == 0) && is_complete;
    if (is_written) transfer->file = copy_text(name);
    free(directory);
    free(path);
    return is_written;
}

/* Ends an open transfer; false for one that is not open. Locked. */
static bool end(transfer *transfer, uint32_t state, uint32_t http_status) {
    if (transfer == NULL || transfer->state >= BGT_TRANSFER_FINISHED) return false;
    transfer->state = state;
    transfer->http_status = http_status;
    return true;
}

bool bgtt_finish_transfer(bgtt_host *host, uint64_t number, const void *bytes, size_t length) {
    lock(host);
    transfer *transfer = transfer_at(host, number);
    bool is_ended = end(transfer, BGT_TRANSFER_FINISHED, 200);
    if (is_ended && (transfer->begun.kind == BGT_TRANSFER_DOWNLOAD || length > 0)) {
        is_ended = write_file(host, transfer, bytes, length);
        transfer->bytes = transfer->total = length;
    }
    unlock(host);
    if (!is_ended) complain("bgtt_finish_transfer: transfer %llu is not open, or its file cannot be written to the"
                            " container", (unsigned long long)number);
    return is_ended;
}

bool bgtt_fail_transfer(bgtt_host *host, uint64_t number, const char *code, uint32_t http_status) {
    lock(host);
    transfer *transfer = transfer_at(host, number);
    const bool is_ended = end(transfer, BGT_TRANSFER_FAILED, http_status);
    if (is_ended) transfer->code = copy_text(code == NULL ? "http-status" : code);
    unlock(host);
    if (!is_ended) complain("bgtt_fail_transfer: transfer %llu is not open", (unsigned long long)number);
    return is_ended;
}

/* Forgets the ended transfers of a session without a file. Locked. */
static void forget(bgtt_host *host, const char *session) {
    for (size_t index = 0; index < host->transfers.count; index++) {
        transfer *transfer = host->transfers.items[index];
        if (transfer->state < BGT_TRANSFER_FINISHED || strcmp(transfer->begun.session, session) != 0) continue;
        if (transfer->file == NULL) transfer->is_forgotten = true;
    }
}

int32_t bgtt_send_session(bgtt_host *host, const char *session) {
    const bgtt_delivery delivery = {
        .event = BGT_EVENT_TRANSFERS_FINISHED, .payload = session, .payload_length = strlen(session)};
    const bgt_task event = bgtt_deliver(host, &delivery);
    const int32_t outcome = event == 0 ? 0 : bgtt_wait(host, event);
    lock(host);
    if (outcome == BGT_OUTCOME_SUCCESS || outcome == BGT_OUTCOME_NO_DATA) forget(host, session);
    unlock(host);
    return outcome;
}
