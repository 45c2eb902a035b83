/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The end of an upload: the wait for the response, and its body. */

#define _GNU_SOURCE

#include "upload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the body of this request. curl counts them when the kernel has taken them. */
static int64_t sent_bytes(const struct transfer *transfer) {
    curl_off_t sent = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    return sent < transfer->source.status.st_size ? sent : transfer->source.status.st_size;
}

/* Whether the receiver may have the whole request. An empty body is sent with the head. */
static int is_sent_whole(const struct transfer *transfer) {
    long head = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &head);
    return head > 0 && sent_bytes(transfer) == transfer->source.status.st_size;
}

static void fail_unknown(struct transfer *transfer) {
    transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_RESULT_UNKNOWN,
                  "the POST to %.100s was sent whole, and its response is missing or incomplete; ask the receiver "
                  "before another one",
                  transfer->place.origin);
}

/* A gateway answers 502 or 504 when the receiver sent no complete response: it may have performed the request. */
static int is_lost_behind_gateway(const struct transfer *transfer) {
    const int status = transfer->response.status;
    return (status == 502 || status == 504) && upload_is_post(transfer) && is_sent_whole(transfer);
}

size_t upload_read_answer(char *bytes, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    (void)size;
    if (transfer->answer == NULL) {
        transfer->answer = malloc(ANSWER_MAX);
        if (transfer->answer == NULL) {
            return 0;
        }
    }
    const size_t left = ANSWER_MAX - transfer->answer_length;
    const size_t kept = count < left ? count : left;
    memcpy(transfer->answer + transfer->answer_length, bytes, kept);
    transfer->answer_length += kept;
    transfer->discarded += count - kept;
    return transfer->discarded > DISCARDED_MAX ? 0 : count;
}

void upload_fail_answer(struct transfer *transfer, int problem) {
    if (upload_is_post(transfer)) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_RESULT_UNKNOWN,
                      "the response to the POST cannot be stored: %s; ask the receiver before another one",
                      strerrordesc_np(problem));
    } else {
        transfer_fail_staging(transfer, "cannot store the response", problem);
    }
}

static void store_answer(struct transfer *transfer) {
    if (transfer->answer_length == 0) {
        part_remove(&transfer->part);
        transfer_finish(transfer, transfer->source.status.st_size);
        return;
    }
    const int problem = part_write(&transfer->part, 0, transfer->answer, transfer->answer_length);
    if (problem != 0) {
        upload_fail_answer(transfer, problem);
        return;
    }
    if (transfer->discarded > 0) {
        snprintf(transfer->message, sizeof transfer->message, "the answer was cut to %d bytes", ANSWER_MAX);
    }
    transfer->state = TRANSFER_READY;
}

void upload_continue(struct transfer *transfer, CURLcode code) {
    /* An answer that is too long is cut. A refusal counts before the end of the body, and without its own end. */
    const int has_answer = code == CURLE_OK || transfer->response.status >= 300
                        || (transfer->response.status >= 200 && code == CURLE_WRITE_ERROR);
    if (source_has_changed(&transfer->source)) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_FILE_CHANGED,
                      "the file of the upload changed while it was sent");
        return;
    }
    if (!has_answer && upload_is_post(transfer) && is_sent_whole(transfer)) {
        fail_unknown(transfer);
        return;
    }
    if (!has_answer) {
        transfer_fail_request(transfer, code);
        return;
    }
    if (is_lost_behind_gateway(transfer)) {
        fail_unknown(transfer);
        return;
    }
    response_finish(&transfer->response);
    transfer->decision = decide_upload(&transfer->response);
    switch (transfer->decision.action) {
    case ACTION_COMPLETE: store_answer(transfer); return;
    case ACTION_REDIRECT:
        transfer->earlier += sent_bytes(transfer);
        transfer_redirect(transfer);
        return;
    default: transfer_fail_decided(transfer); return;
    }
}

/* The wait has a limit of its own: a receiver may need minutes for a whole body, in which no byte moves. */
static void wait_for_answer(struct transfer *transfer, int64_t now) {
    if (transfer->sent_whole_at == 0) {
        transfer->sent_whole_at = transfer->waited_at = now;
        curl_easy_setopt(transfer->easy, CURLOPT_LOW_SPEED_TIME, 0L);
    }
    if (now - transfer->sent_whole_at >= transfer->limits->answer_seconds * 1000) {
        if (upload_is_post(transfer)) {
            fail_unknown(transfer);
        } else {
            transfer_fail(transfer, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_SLOW,
                          "%.100s sent no complete response within %lld s after the last byte of the upload",
                          transfer->place.origin, (long long)transfer->limits->answer_seconds);
        }
    } else if (now - transfer->waited_at >= transfer->limits->waiting_ms) {
        transfer->waited_at = now;
        transfer->earlier++;
    }
}

void upload_tick(struct transfer *transfer, int64_t now) {
    transfer->end.bytes = (uint64_t)sent_bytes(transfer);
    if (is_sent_whole(transfer)) {
        wait_for_answer(transfer, now);
    }
    const int64_t total = transfer->earlier + transfer->source.status.st_size;
    const int64_t completed = transfer->earlier + (int64_t)transfer->end.bytes;
    if (transfer->state == TRANSFER_REQUESTS && completed != transfer->shown && total > 0) {
        transfer->shown = completed;
        transfer->host->set_progress(transfer->host->context, transfer->task, completed, total);
    }
}

void upload_interrupt(struct transfer *transfer) {
    if (upload_is_post(transfer) && is_sent_whole(transfer)) {
        fail_unknown(transfer);
    }
}
