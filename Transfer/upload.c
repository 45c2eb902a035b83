/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "upload.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void upload_start(struct transfer *transfer) {
    const struct spec *spec = &transfer->spec;
    int problem = part_open(&transfer->part, transfer->container, spec->part, spec->target);
    if (problem == 0) {
        problem = part_cut(&transfer->part, 0);
    }
    if (problem != 0) {
        transfer_fail_staging(transfer, "cannot open the file for the answer", problem);
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
    /* Without this end of the connection, the receiver could accept a mixture of two versions. */
    if (source_has_changed(source)) {
        return CURL_READFUNC_ABORT;
    }
    /* curl sends bytes beyond the announced length, if it gets them: the receiver reads them as another request. */
    const int64_t left = source->status.st_size - source->position;
    const size_t most = left < (int64_t)(size * count) ? (size_t)left : size * count;
    do {
        got = pread(source->file, bytes, most, source->position);
    } while (got < 0 && errno == EINTR);
    if (got < 0 || (got == 0 && left > 0)) {
        return CURL_READFUNC_ABORT;
    }
    source->position += got;
    rate_take(transfer->rate, got);
    return (size_t)got;
}

static int seek_body(void *context, curl_off_t offset, int origin) {
    struct transfer *transfer = context;
    if (origin != SEEK_SET || offset < 0 || offset > transfer->source.status.st_size) {
        return CURL_SEEKFUNC_FAIL;
    }
    transfer->source.position = offset;
    return CURL_SEEKFUNC_OK;
}

int upload_is_post(const struct transfer *transfer) {
    return transfer->spec.method != NULL && strcmp(transfer->spec.method, "POST") == 0;
}

CURLcode upload_set(struct transfer *transfer) {
    CURL *easy = transfer->easy;
    transfer->source.position = 0;
    transfer->answer_length = 0;
    transfer->sent_whole_at = transfer->waited_at = 0;
    const CURLcode codes[] = {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L),
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, transfer->spec.method == NULL ? "PUT" : transfer->spec.method),
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)transfer->source.status.st_size),
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, send_body),
        curl_easy_setopt(easy, CURLOPT_READDATA, transfer),
        curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek_body),
        curl_easy_setopt(easy, CURLOPT_SEEKDATA, transfer),
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, upload_read_answer),
        curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 262144L),
        /* curl may repeat a request by itself when a kept connection turns out to be closed. */
        curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, (long)upload_is_post(transfer)),
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (codes[i] != CURLE_OK) {
            return codes[i];
        }
    }
    return CURLE_OK;
}
