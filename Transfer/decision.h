/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_DECISION_H
#define TRANSFER_DECISION_H

#include "response.h"

enum action {
    ACTION_BEGIN,    /* the body is the whole file, of which nothing is kept */
    ACTION_APPEND,   /* the body continues the file at the offset */
    ACTION_REPLACE,  /* the body is the whole file: discard the kept bytes; a restart */
    ACTION_RESTART,  /* discard the kept bytes and ask for the whole file; a restart */
    ACTION_COMPLETE, /* the kept bytes are the whole file */
    ACTION_REDIRECT,
    ACTION_TRANSIENT,
    ACTION_FATAL
};

/* The request that was answered. */
struct question {
    int64_t offset;  /* kept bytes */
    int64_t total;   /* of the file, as known before; -1: not known */
    int asked_range; /* whether the request had Range and If-Range */
    int has_sha256;  /* whether the description has the SHA-256 of the file, which also decides about an encoded one */
    struct validator validator;
};

struct decision {
    enum action action;
    uint32_t fault;
    int source_changed;  /* with a restart: the server has another version of the file */
    int64_t total;       /* of the file; -1: not known */
    const char *message; /* cause, for users; NULL: none */
};

/* The decision about the response to a download. */
struct decision decide(const struct question *question, const struct response *response);
/* The decision about the response to an upload: ACTION_COMPLETE, ACTION_REDIRECT, ACTION_TRANSIENT or ACTION_FATAL. */
struct decision decide_upload(const struct response *response);

#endif
