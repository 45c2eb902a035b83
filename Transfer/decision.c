/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The rules of resuming: pure decisions from the request and the head of its answer. */

#include "decision.h"

#include "transfer_host.h"

#include <string.h>

static struct decision result(enum action action, int64_t total) {
    return (struct decision){action, 0, 0, total, NULL};
}

static struct decision failure(enum action action, uint32_t fault, const char *message) {
    return (struct decision){action, fault, 0, -1, message};
}

static struct decision restart(enum action action, int changed, int64_t total, const char *message) {
    return (struct decision){action, 0, changed, total, message};
}

/* Whether the validators name different versions. Without a common one they do not show a difference. */
static int differs(const struct validator *left, const struct validator *right) {
    if (left->etag[0] != '\0' && right->etag[0] != '\0') {
        return strcmp(left->etag, right->etag) != 0;
    }
    if (left->last_modified[0] != '\0' && right->last_modified[0] != '\0') {
        return strcmp(left->last_modified, right->last_modified) != 0;
    }
    return 0;
}

static int is_other_version(const struct question *question, const struct response *response, int64_t total) {
    return differs(&question->validator, &response->validator)
        || (question->total >= 0 && total >= 0 && total != question->total);
}

static struct decision decide_whole(const struct question *question, const struct response *response) {
    const int64_t total = response->content_length;
    if (question->offset == 0) {
        return result(ACTION_BEGIN, total);
    }
    if (!question->asked_range) {
        return restart(ACTION_REPLACE, is_other_version(question, response, total), total,
                       "the server gave no validator, without which a download cannot be resumed");
    }
    if (is_other_version(question, response, total)) {
        return restart(ACTION_REPLACE, 1, total, "the file of the server has changed");
    }
    return restart(ACTION_REPLACE, 0, total, "the server sent the whole file instead of its rest");
}

static struct decision decide_part(const struct question *question, const struct response *response) {
    if (!question->asked_range) {
        return restart(ACTION_RESTART, 0, -1, "the server sent a part of the file (206) that was not asked for");
    }
    if (!response->has_range || response->range_start != question->offset) {
        return restart(ACTION_RESTART, 0, -1, "the server sent another part of the file than asked for");
    }
    if (differs(&question->validator, &response->validator)) {
        return restart(ACTION_RESTART, 1, -1, "the file of the server has changed");
    }
    if (question->total >= 0 && response->range_total != question->total) {
        return restart(ACTION_RESTART, response->range_total >= 0, -1, "the server named another size of the file");
    }
    const int64_t length = response->range_end - response->range_start + 1;
    if (response->content_length >= 0 && response->content_length != length) {
        return restart(ACTION_RESTART, 0, -1, "the length of the server's part of the file contradicts its range");
    }
    return result(ACTION_APPEND, response->range_total);
}

/* No byte follows the offset. The file is complete if it ends there. */
static struct decision decide_unsatisfiable(const struct question *question, const struct response *response) {
    if (!question->asked_range) {
        return failure(ACTION_FATAL, BGT_TRANSFER_HTTP_STATUS, "the server has no bytes for the whole file (416)");
    }
    const int is_end = response->has_range && response->range_start < 0 && response->range_total == question->offset;
    const int is_known = question->total < 0 || question->total == question->offset;
    if (is_end && is_known && !differs(&question->validator, &response->validator)) {
        return result(ACTION_COMPLETE, question->offset);
    }
    return restart(ACTION_RESTART, 1, -1, "the file of the server is shorter than before (416)");
}

static int is_redirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* 408, 425 and 429 ask for another try. */
static struct decision decide_failure(int status) {
    if (status == 429 || status == 503) {
        return failure(ACTION_TRANSIENT, BGT_TRANSFER_SERVER_BUSY, "the server is busy");
    }
    if (status >= 500 || status == 408 || status == 425) {
        return failure(ACTION_TRANSIENT, BGT_TRANSFER_SERVER_BUSY, "the server failed");
    }
    return failure(ACTION_FATAL, BGT_TRANSFER_HTTP_STATUS, "the server refused the request");
}

/* The bytes of an encoded response differ from those of the file, and the length and the digest of the server would
 * cover them. */
static int is_encoded(const struct question *question, const struct response *response) {
    const int status = response->status;
    return response->is_encoded && !question->has_sha256 && (status == 200 || status == 203 || status == 206);
}

struct decision decide(const struct question *question, const struct response *response) {
    if (is_encoded(question, response)) {
        return failure(ACTION_FATAL, BGT_TRANSFER_HTTP_STATUS,
                       "the server sent the file with a Content-Encoding, which was not requested; name the SHA-256 of "
                       "the encoded file, or use another URL");
    }
    switch (response->status) {
    case 200:
    case 203: return decide_whole(question, response);
    case 206: return decide_part(question, response);
    case 412:
        return question->asked_range ? restart(ACTION_RESTART, 1, -1, "the file of the server has changed (412)")
                                     : decide_failure(412);
    case 416: return decide_unsatisfiable(question, response);
    default: return is_redirect(response->status) ? result(ACTION_REDIRECT, -1) : decide_failure(response->status);
    }
}

/* Only 307 and 308 keep the method and the body of an upload. */
struct decision decide_upload(const struct response *response) {
    if (response->status >= 200 && response->status < 300) {
        return result(ACTION_COMPLETE, -1);
    }
    if (response->status == 307 || response->status == 308) {
        return result(ACTION_REDIRECT, -1);
    }
    return decide_failure(response->status);
}
