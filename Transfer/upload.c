/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "upload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void upload_start(struct transfer *transfer) {
    const struct spec *spec = &transfer->spec;
    int problem = part_open(&transfer->part, transfer->container, spec->part, spec->target);
    if (problem == 0) {
        problem = part_cut(&transfer->part, 0);
    }
    if (problem != 0) {
        transfer_fail_file(transfer, "cannot open the file for the answer", problem);
        return;
    }
    part_remove_target(&transfer->part);
    problem = source_open(&transfer->source, transfer->container, spec->file);
    if (problem != 0) {
        transfer_fail_file(transfer, "cannot read the file of the upload", problem);
        return;
    }
    transfer->end.total = (uint64_t)transfer->source.status.st_size;
    transfer_request(transfer);
}

static size_t send_body(char *bytes, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    struct source *source = &transfer->source;
    ssize_t got;
    if (rate_is_exhausted(transfer->rate)) {
        transfer->is_paused = 1;
        return CURL_READFUNC_PAUSE;
    }
    do {
        got = pread(source->file, bytes, size * count, source->position);
    } while (got < 0 && errno == EINTR);
    if (got < 0 || (got == 0 && source->position < source->status.st_size)) {
        return CURL_READFUNC_ABORT;
    }
    source->position += got;
    rate_take(transfer->rate, got);
    return (size_t)got;
}

static int seek_body(void *context, curl_off_t offset, int origin) {
    struct transfer *transfer = context;
    if (origin != SEEK_SET || offset < 0) {
        return CURL_SEEKFUNC_FAIL;
    }
    transfer->source.position = offset;
    return CURL_SEEKFUNC_OK;
}

/* Keeps the beginning of the answer's body. */
static size_t read_answer(char *bytes, size_t size, size_t count, void *context) {
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

CURLcode upload_set(struct transfer *transfer) {
    CURL *easy = transfer->easy;
    transfer->source.position = 0;
    transfer->answer_length = 0;
    const CURLcode codes[] = {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L),
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, transfer->spec.method == NULL ? "PUT" : transfer->spec.method),
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)transfer->source.status.st_size),
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, send_body),
        curl_easy_setopt(easy, CURLOPT_READDATA, transfer),
        curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek_body),
        curl_easy_setopt(easy, CURLOPT_SEEKDATA, transfer),
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, read_answer),
        curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 262144L),
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i] != CURLE_OK) {
            return codes[i];
        }
    }
    return CURLE_OK;
}

static void store_answer(struct transfer *transfer) {
    if (transfer->answer_length == 0) {
        part_remove(&transfer->part);
        transfer_finish(transfer, transfer->source.status.st_size);
        return;
    }
    const int problem = part_write(&transfer->part, 0, transfer->answer, transfer->answer_length);
    if (problem != 0) {
        transfer_fail_file(transfer, "cannot write the answer", problem);
        return;
    }
    if (transfer->discarded > 0) {
        snprintf(transfer->message, sizeof transfer->message, "the answer was cut to %d bytes", ANSWER_MAX);
    }
    transfer->state = TRANSFER_READY;
}

void upload_continue(struct transfer *transfer, CURLcode code) {
    /* An answer that is too long is cut, and a refusal before the end of the body counts. */
    const int has_answer = code == CURLE_OK || (transfer->response.status >= 200 && code == CURLE_WRITE_ERROR);
    if (source_has_changed(&transfer->source)) {
        transfer_fail(transfer, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_FILE_CHANGED,
                      "the file of the upload changed while it was sent");
        return;
    }
    if (!has_answer) {
        transfer_fail_request(transfer, code);
        return;
    }
    response_finish(&transfer->response);
    transfer->decision = decide_upload(&transfer->response);
    switch (transfer->decision.action) {
    case ACTION_COMPLETE: store_answer(transfer); return;
    case ACTION_REDIRECT: transfer_redirect(transfer); return;
    default: transfer_fail_decided(transfer); return;
    }
}

void upload_tick(struct transfer *transfer) {
    const int64_t total = transfer->source.status.st_size;
    curl_off_t sent = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    const int64_t completed = sent < total ? sent : total;
    transfer->end.bytes = (uint64_t)completed;
    if (completed != transfer->shown && total > 0) {
        transfer->shown = completed;
        transfer->host->set_progress(transfer->host->context, transfer->task, completed, total);
    }
}
