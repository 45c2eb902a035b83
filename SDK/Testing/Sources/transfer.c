/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Transfers as a plugin begins them: copies and their rules. */

#include "transfers.h"
#include <stdlib.h>
#include <string.h>

bool is_session(const char *text) {
    const size_t length = strlen(text);
    return length > 0 && length <= BGTASK_SESSION_MAX
        && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-._") == length;
}

static void free_texts(const char *const *texts, uint64_t count) {
    for (uint64_t index = 0; texts != NULL && index < count; index++) free((char *)texts[index]);
    free((void *)texts);
}

void free_transfer(void *item) {
    transfer *transfer = item;
    free((char *)transfer->begun.session);
    free((char *)transfer->begun.url);
    free((char *)transfer->begun.label);
    free((char *)transfer->begun.method);
    free((char *)transfer->begun.file);
    free_texts(transfer->begun.headers, transfer->begun.header_count);
    free_texts(transfer->begun.secret_headers, transfer->begun.secret_header_count);
    free((uint8_t *)transfer->begun.sha256);
    free(transfer->code);
    free(transfer->file);
    free(transfer);
}

/* Copies a string; NULL for NULL. False when it is too long or not UTF-8. */
static bool copy(const char **place, const char *text, size_t limit, const char *field, problem *problem) {
    *place = text == NULL ? NULL : read_text(text, limit);
    if (text == NULL || *place != NULL) return true;
    return refuse(problem, BGT_INVALID, "%s: longer than %zu bytes or not UTF-8; shorten or correct it", field, limit);
}

static bool copy_headers(const char *const **place, const char *const *texts, uint64_t *count, problem *problem) {
    const uint64_t given = *count;
    *place = NULL;
    *count = 0;
    if (given > BGTASK_HEADERS_MAX || (texts == NULL) != (given == 0)) {
        return refuse(problem, BGT_INVALID, "headers: %s with a count of %llu; pass NULL with 0, or an address with a"
                      " count of 1 to %u", texts == NULL ? "NULL" : "not NULL", (unsigned long long)given,
                      BGTASK_HEADERS_MAX);
    }
    const char **copies = allocate((size_t)given * sizeof *copies);
    *place = copies;
    for (uint64_t index = 0; index < given; index++) {
        copies[index] = texts[index] == NULL ? NULL : read_text(texts[index], BGTASK_HEADERS_SIZE_MAX);
        *count = index + 1;
        if (copies[index] == NULL || strchr(copies[index], ':') == NULL || copies[index][0] == ':') {
            return refuse(problem, BGT_INVALID, "headers[%llu]: NULL or without a colon; write it as \"Name: value\"",
                          (unsigned long long)index);
        }
    }
    return true;
}

static bool is_url(const char *url) {
    const char *host = strncmp(url, "https://", 8) == 0 ? url + 8 : strncmp(url, "http://", 7) == 0 ? url + 7 : NULL;
    if (host == NULL || strcspn(host, "/?#") == 0) return false;
    for (const char *at = url; *at != 0; at++) {
        if (*at <= ' ' || *at > '~') return false;
    }
    return true;
}

bool is_path(const char *file) {
    if (file[0] == 0 || file[0] == '/' || file[strlen(file) - 1] == '/' || strstr(file, "//") != NULL) return false;
    for (const char *part = file; part != NULL; part = strchr(part, '/')) {
        if (*part == '/') part++;
        const size_t length = strcspn(part, "/");
        if ((length == 1 && part[0] == '.') || (length == 2 && strncmp(part, "..", 2) == 0)) return false;
    }
    return true;
}

/* The flaw of a transfer whose strings are copied; NULL when it is valid. */
static const char *flaw_of(const bgt_transfer *begun) {
    if (begun->session == NULL || !is_session(begun->session)) {
        return "session: NULL or malformed; a name has 1 to 64 lower-case letters, digits, '-', '.' and '_'";
    }
    if (begun->url == NULL || !is_url(begun->url)) {
        return "url: NULL, or not a URL of http or https; pass a URL that begins with https://";
    }
    if (begun->expires_at_ns < 0) return "expires_at_ns: negative; pass a time of the wall clock, or 0";
    if (begun->kind == BGT_TRANSFER_DOWNLOAD) {
        return begun->file != NULL || begun->method != NULL
            ? "a download names a file or a method; only an upload has them; leave them out"
            : NULL;
    }
    if (begun->expected_size != 0 || begun->sha256 != NULL) {
        return "an upload names an expected size or SHA-256; only a download has them; leave them out";
    }
    if (begun->method != NULL && strcmp(begun->method, "PUT") != 0 && strcmp(begun->method, "POST") != 0) {
        return "method: only PUT and POST are allowed; use one of them";
    }
    return begun->file == NULL || !is_path(begun->file)
        ? "the file of the upload is not a path within the container, such as reports/day.json; correct it"
        : NULL;
}

static bool copy_fields(transfer *transfer, const bgt_transfer *fields, problem *problem) {
    bgt_transfer *begun = &transfer->begun;
    begun->header_count = fields->header_count;
    begun->secret_header_count = fields->secret_header_count;
    if (!copy(&begun->session, fields->session, BGTASK_SESSION_MAX, "session", problem)
        || !copy(&begun->url, fields->url, BGTASK_URL_MAX, "url", problem)
        || !copy(&begun->label, fields->label, BGTASK_LABEL_MAX, "label", problem)
        || !copy(&begun->method, fields->method, 16, "method", problem)
        || !copy(&begun->file, fields->file, 4096, "file", problem)
        || !copy_headers(&begun->headers, fields->headers, &begun->header_count, problem)
        || !copy_headers(&begun->secret_headers, fields->secret_headers, &begun->secret_header_count, problem)) {
        return false;
    }
    if (fields->sha256 != NULL) {
        begun->sha256 = allocate(BGTASK_SHA256_SIZE);
        memcpy((uint8_t *)begun->sha256, fields->sha256, BGTASK_SHA256_SIZE);
    }
    const char *flaw = flaw_of(begun);
    return flaw == NULL || refuse(problem, BGT_INVALID, "transfer: %s", flaw);
}

transfer *read_transfer(const bgt_transfer *address, problem *problem) {
    if (address == NULL) return refuse(problem, BGT_INVALID, "transfer: NULL; pass a bgt_transfer"), NULL;
    bgt_transfer fields;
    const int32_t status = read_struct(address, &fields, sizeof fields, 120);
    if (status == BGT_INVALID) {
        return refuse(problem, status, "transfer.size: not the size of a bgt_transfer; create it with bgt_download or"
                      " bgt_upload"), NULL;
    }
    if (status == BGT_TOO_NEW || fields.kind > BGT_TRANSFER_UPLOAD || fields.reserved != 0
        || (fields.flags & ~(uint32_t)BGT_TRANSFER_DISCRETIONARY) != 0) {
        return refuse(problem, BGT_TOO_NEW, "transfer: a kind, flag or field that this host does not know; leave it"
                      " out"), NULL;
    }
    if (fields.kind == 0) {
        return refuse(problem, BGT_INVALID, "kind: 0; use BGT_TRANSFER_DOWNLOAD or BGT_TRANSFER_UPLOAD"), NULL;
    }
    transfer *transfer = allocate(sizeof *transfer);
    transfer->begun = (bgt_transfer){.size = sizeof fields,
                                     .kind = fields.kind,
                                     .flags = fields.flags,
                                     .expected_size = fields.expected_size,
                                     .earliest_begin_ns = fields.earliest_begin_ns,
                                     .expires_at_ns = fields.expires_at_ns};
    transfer->state = BGT_TRANSFER_WAITING;
    if (copy_fields(transfer, &fields, problem)) return transfer;
    free_transfer(transfer);
    return NULL;
}
