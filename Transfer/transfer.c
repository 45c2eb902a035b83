/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "transfer.h"

#include "download.h"
#include "upload.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A connection below 256 bytes per second ends before the host's limit of 60 s without progress. A checkpoint costs the
 * time of a write to the disk. */
struct transfer_limits transfer_default_limits(void) {
    return (struct transfer_limits){
        .low_speed = 256, .low_speed_seconds = 50, .connect_seconds = 30, .answer_seconds = 300, .waiting_ms = 10000,
        .checkpoint_bytes = 8 << 20};
}

struct transfer *transfer_create(bgt_task task, const struct transfer_host *host, const struct transfer_limits *limits,
                                 int container, const struct spec *spec) {
    struct transfer *transfer = calloc(1, sizeof *transfer);
    CURL *easy = curl_easy_init();
    char *url = strdup(spec->url);
    if (transfer == NULL || easy == NULL || url == NULL) {
        free(transfer);
        curl_easy_cleanup(easy);
        free(url);
        return NULL;
    }
    transfer->task = task;
    transfer->host = host;
    transfer->limits = limits;
    transfer->container = container;
    transfer->spec = *spec;
    transfer->easy = easy;
    transfer->url = url;
    transfer->end = (bgt_transfer_end){
        .size = sizeof transfer->end, .retry_after_s = -1, .total = UINT64_MAX, .message = transfer->message};
    part_init(&transfer->part);
    part_init(&transfer->complete);
    source_init(&transfer->source);
    cursor_clear(&transfer->cursor);
    digest_start(&transfer->digest);
    transfer->body_end = -1;
    transfer->shown = -1;
    return transfer;
}

void transfer_release(struct transfer *transfer) {
    curl_easy_cleanup(transfer->easy);
    transfer_release_headers(transfer);
    part_close(&transfer->part);
    part_close(&transfer->complete);
    source_close(&transfer->source);
    spec_release(&transfer->spec);
    free(transfer->answer);
    free(transfer->url);
    free(transfer);
}

void transfer_start(struct transfer *transfer) {
    const uint32_t fault = url_read(&transfer->first_place, transfer->url);
    if (fault != BGT_TRANSFER_NO_FAULT) {
        const int is_scheme = fault == BGT_TRANSFER_SCHEME_NOT_PERMITTED;
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, fault,
                      is_scheme ? "the URL is neither http nor https" : "the URL is invalid, or has user information");
        return;
    }
    if (transfer->spec.is_upload) {
        upload_start(transfer);
    } else {
        download_start(transfer);
    }
}

void transfer_continue(struct transfer *transfer, CURLcode code) {
    long status = 0;
    if (curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status >= 200) {
        transfer->end.http_status = (uint32_t)status;
    }
    if (transfer->state == TRANSFER_ENDED) {
        return; /* a callback ended it */
    }
    if (transfer->spec.is_upload) {
        upload_continue(transfer, code);
    } else {
        download_continue(transfer, code);
    }
}

void transfer_tick(struct transfer *transfer, int64_t now) {
    if (transfer->spec.is_upload) {
        upload_tick(transfer, now);
    } else {
        download_tick(transfer, now);
    }
}

void transfer_interrupt(struct transfer *transfer) {
    if (transfer->spec.is_upload) {
        upload_interrupt(transfer);
    } else {
        download_checkpoint(transfer, 0);
    }
    if (transfer->state == TRANSFER_ENDED) {
        return;
    }
    transfer->state = TRANSFER_ENDED;
    transfer->host->ended(transfer->host->context, transfer->task, NULL);
}

static void report(struct transfer *transfer) {
    const struct cursor *cursor = &transfer->cursor;
    transfer->end.restarts = cursor->restarts;
    transfer->end.source_changes = cursor->source_changes;
    if (!transfer->spec.is_upload) {
        transfer->end.bytes = (uint64_t)transfer->offset;
        transfer->end.total = cursor->total < 0 ? UINT64_MAX : (uint64_t)cursor->total;
    }
    transfer->state = TRANSFER_ENDED;
    transfer->host->ended(transfer->host->context, transfer->task, &transfer->end);
}

void transfer_fail(struct transfer *transfer, uint32_t result, uint32_t fault, const char *format, ...) {
    va_list values;
    if (transfer->state == TRANSFER_ENDED) {
        return;
    }
    va_start(values, format);
    vsnprintf(transfer->message, sizeof transfer->message, format, values);
    va_end(values);
    transfer->end.result = result;
    transfer->end.fault = fault;
    if (result == BGT_TRANSFER_END_FATAL) {
        part_remove(&transfer->part);
    } else if (!transfer->spec.is_upload) {
        download_checkpoint(transfer, 0);
    }
    report(transfer);
}

void transfer_finish(struct transfer *transfer, int64_t bytes) {
    transfer->end.result = BGT_TRANSFER_END_FINISHED;
    transfer->end.fault = BGT_TRANSFER_NO_FAULT;
    transfer->end.bytes = transfer->end.total = (uint64_t)bytes;
    report(transfer);
}

void transfer_published(struct transfer *transfer, int problem) {
    if (problem != 0 && transfer->spec.is_upload) {
        upload_fail_answer(transfer, problem);
        return;
    }
    if (problem != 0) {
        transfer_fail_staging(transfer, "cannot store the file", problem);
        return;
    }
    transfer_finish(transfer, transfer->spec.is_upload ? transfer->source.status.st_size : transfer->offset);
}
