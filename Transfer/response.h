/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_RESPONSE_H
#define TRANSFER_RESPONSE_H

#include "cursor.h"

#include <time.h>

enum { RETRY_AFTER_MAX = 86400 };

/* The head of an answer, as far as the rules of resuming read it. */
struct response {
    int status;             /* 0: no answer yet */
    int64_t content_length; /* -1: none */
    int is_framed;          /* whether a Transfer-Encoding frames the body, so that Content-Length does not count */
    int has_range;          /* whether a Content-Range was valid */
    int64_t range_start;    /* -1: none, as in the answer 416 */
    int64_t range_end;      /* the last byte */
    int64_t range_total;    /* -1: not known */
    struct validator validator;
    char date[64];
    char retry_after[64];
    int is_encoded; /* whether a Content-Encoding other than identity was applied */
    int has_digest; /* Repr-Digest with SHA-256 */
    uint8_t digest[DIGEST_SIZE];
};

void response_clear(struct response *response);
/* Reads one line of the head, with or without its end. A status line begins a new head: of the answer to a redirect, or
 * after an interim one. */
void response_read_line(struct response *response, const char *line, size_t length);
/* Completes the head: a length that does not count is none, and neither is a Last-Modified within the second of Date,
 * which does not distinguish versions. */
void response_finish(struct response *response);
/* The value of Retry-After in seconds, 0 to RETRY_AFTER_MAX; -1: none. */
int64_t response_retry_after(const struct response *response, time_t now);

#endif
