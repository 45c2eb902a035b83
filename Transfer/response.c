/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "response.h"

#include "text.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024 };

void response_clear(struct response *response) {
    memset(response, 0, sizeof *response);
    response->content_length = response->range_start = response->range_end = response->range_total = -1;
}

/* "bytes 5-9/10", "bytes 5-9/" followed by an asterisk, or the same without a range in the answer 416. */
static void read_range(struct response *response, const char *value) {
    int64_t start = -1, end = -1, total = -1;
    if (strncasecmp(value, "bytes", 5) != 0 || value[5] != ' ') {
        return;
    }
    const char *at = value + 6;
    if (*at == '*') {
        at++;
    } else if (text_digits(&at, &start) != 0 || *at++ != '-' || text_digits(&at, &end) != 0 || end < start) {
        return;
    }
    if (*at++ != '/') {
        return;
    }
    if (*at == '*' ? at[1] != '\0' : text_number(at, &total) != 0) {
        return;
    }
    if (total >= 0 && end >= total) {
        return;
    }
    response->has_range = 1;
    response->range_start = start;
    response->range_end = end;
    response->range_total = total;
}

/* A weak ETag may stand for different bytes, so it is ignored. */
static void read_etag(struct validator *validator, const char *value) {
    const size_t length = strlen(value);
    if (length >= 2 && length < sizeof validator->etag && value[0] == '"' && value[length - 1] == '"') {
        memcpy(validator->etag, value, length + 1);
    }
}

static void read_digest(struct response *response, const char *value) {
    const char *at = strcasestr(value, "sha-256=:");
    const char *end = at == NULL ? NULL : strchr(at + 9, ':');
    if (end != NULL && text_base64(at + 9, (size_t)(end - at) - 9, response->digest, DIGEST_SIZE) == DIGEST_SIZE) {
        response->has_digest = 1;
    }
}

static void copy(char *place, size_t capacity, const char *value) {
    if (strlen(value) < capacity) {
        memcpy(place, value, strlen(value) + 1);
    }
}

static void read_field(struct response *response, const char *name, const char *value) {
    if (text_is_same_word(name, "content-length")) {
        if (text_number(value, &response->content_length) != 0) {
            response->content_length = -1;
        }
    } else if (text_is_same_word(name, "transfer-encoding")) {
        response->is_framed = 1;
    } else if (text_is_same_word(name, "content-encoding")) {
        response->is_encoded |= *value != '\0' && !text_is_same_word(value, "identity");
    } else if (text_is_same_word(name, "content-range")) {
        read_range(response, value);
    } else if (text_is_same_word(name, "etag")) {
        read_etag(&response->validator, value);
    } else if (text_is_same_word(name, "last-modified")) {
        copy(response->validator.last_modified, sizeof response->validator.last_modified, value);
    } else if (text_is_same_word(name, "date")) {
        copy(response->date, sizeof response->date, value);
    } else if (text_is_same_word(name, "retry-after")) {
        copy(response->retry_after, sizeof response->retry_after, value);
    } else if (text_is_same_word(name, "repr-digest")) {
        read_digest(response, value);
    }
}

void response_read_line(struct response *response, const char *line, size_t length) {
    char text[LINE_MAX_BYTES];
    while (length > 0 && strchr("\r\n \t", line[length - 1]) != NULL) {
        length--;
    }
    if (length >= sizeof text || memchr(line, '\0', length) != NULL) {
        return;
    }
    memcpy(text, line, length);
    text[length] = '\0';
    if (strncmp(text, "HTTP/", 5) == 0) {
        response_clear(response);
        const char *status = strchr(text, ' ');
        if (status == NULL || sscanf(status, " %3d", &response->status) != 1) {
            response->status = 0;
        }
        return;
    }
    char *colon = strchr(text, ':');
    if (colon == NULL) {
        return;
    }
    *colon = '\0';
    read_field(response, text, colon + 1 + strspn(colon + 1, " \t"));
}

void response_finish(struct response *response) {
    struct validator *validator = &response->validator;
    response->content_length = response->is_framed ? -1 : response->content_length;
    if (validator->last_modified[0] == '\0') {
        return;
    }
    const time_t modified = curl_getdate(validator->last_modified, NULL);
    const time_t date = response->date[0] == '\0' ? -1 : curl_getdate(response->date, NULL);
    if (modified == -1 || date == -1 || date <= modified) {
        validator->last_modified[0] = '\0';
    }
}

int64_t response_retry_after(const struct response *response, time_t now) {
    int64_t seconds = -1;
    if (response->retry_after[0] == '\0') {
        return -1;
    }
    if (text_number(response->retry_after, &seconds) != 0) {
        const time_t at = curl_getdate(response->retry_after, NULL);
        /* The server's Date header, if present: the clock of this machine may be wrong. */
        const time_t date = response->date[0] == '\0' ? -1 : curl_getdate(response->date, NULL);
        if (at == -1) {
            return -1;
        }
        seconds = at - (date == -1 ? now : date);
    }
    return seconds < 0 ? 0 : seconds > RETRY_AFTER_MAX ? RETRY_AFTER_MAX : seconds;
}
