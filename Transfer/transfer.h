/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* One transfer in a process: a try that begins, continues at the cursor of an earlier one, and ends. It depends on the
 * host through `struct transfer_host` alone. */

#ifndef TRANSFER_H
#define TRANSFER_H

#include "cursor.h"
#include "decision.h"
#include "part.h"
#include "rate.h"
#include "source.h"
#include "spec.h"
#include "transfer_host.h"
#include "url.h"

#include <curl/curl.h>

enum { MESSAGE_MAX = 256, REDIRECTS_MAX = 10, RESTARTS_MAX = 2, ANSWER_MAX = 65536, DISCARDED_MAX = 65536 };

/* Functions by which a transfer reaches its host. `task` is the number that the transfer was created with. */
struct transfer_host {
    void *context;
    /* Returns the length of the stored cursor, 0: none. */
    size_t (*read_cursor)(void *context, bgt_task task, uint8_t *bytes, size_t capacity);
    /* Returns 0 when the cursor is stored, with `is_durable` on the disk. */
    int (*write_cursor)(void *context, bgt_task task, const uint8_t *bytes, size_t length, int is_durable);
    void (*set_progress)(void *context, bgt_task task, int64_t completed, int64_t total);
    int (*is_expiring)(void *context, bgt_task task);
    void (*log)(void *context, bgt_task task, uint32_t level, const char *message);
    /* `end` is NULL when the transfer was interrupted. */
    void (*ended)(void *context, bgt_task task, const bgt_transfer_end *end);
};

/* Limits that tests change. */
struct transfer_limits {
    int64_t low_speed;         /* bytes per second, below which a connection counts as too slow */
    int64_t low_speed_seconds; /* after this time */
    int64_t connect_seconds;
    int64_t answer_seconds;   /* for the whole response, after the last byte of an upload */
    int64_t waiting_ms;       /* interval of progress reports in this time */
    int64_t checkpoint_bytes; /* the cursor moves after this many bytes, or after a second */
    const char *authorities;  /* file of certificates; NULL: those of the system */
    struct curl_slist *names; /* "HOST:PORT:ADDRESS" instead of look-ups; NULL: none */
};

/* The limits of the library. */
struct transfer_limits transfer_default_limits(void);

enum transfer_state {
    TRANSFER_READS,    /* reads the file of an earlier try, before its first request */
    TRANSFER_REQUESTS, /* its handle has a new request, which the loop adds */
    TRANSFER_READY,    /* its file is complete, and waits to be renamed */
    TRANSFER_ENDED
};

struct transfer {
    bgt_task task;
    const struct transfer_host *host;
    const struct transfer_limits *limits;
    int container;
    struct spec spec;
    enum transfer_state state;
    struct transfer *next;
    struct rate *rate; /* of the loop; shared by all transfers with a rate */
    int is_paused;     /* whether it waits for the rate */
    bgt_transfer_end end;
    char message[MESSAGE_MAX];

    /* The request. */
    CURL *easy;
    struct curl_slist *header_list;
    char *url;
    struct url place;
    struct url first_place;
    int redirects;
    int refused_address; /* whether an address was not permitted */
    int permitted_address;
    int refused_socket; /* errno of a socket that was refused; 0: none */
    struct question question;
    struct response response;
    struct decision decision;
    int is_decided;
    size_t discarded; /* bytes of a body that is not kept */

    /* The file of an earlier try, while it is read. */
    struct part complete; /* the complete file; not open: the bytes behind the cursor are read */
    struct digest read_digest;
    uint8_t wanted[DIGEST_SIZE];
    int64_t read_at;
    int64_t read_end;

    /* The file of a download. */
    struct part part;
    struct cursor cursor;
    struct digest digest;
    int64_t offset;
    int64_t synced;        /* offset of the last checkpoint */
    int64_t requested_at;  /* offset of the request */
    int64_t body_end;      /* where the body of a part ends; -1: not known */
    int is_longer;         /* whether the body is longer than it should be */
    int has_stored_source; /* whether the stored cursor names a version of the source */
    uint8_t boot[BOOT_SIZE];
    int64_t checkpoint_at; /* time of the last checkpoint, in milliseconds */
    int64_t shown;         /* progress that the host has */

    /* An upload. */
    struct source source;
    char *answer;
    size_t answer_length;
    int64_t earlier;       /* progress before the body of this request: bodies of redirected requests, and waiting */
    int64_t sent_whole_at; /* time at which the whole body was sent, in milliseconds; 0: not yet */
    int64_t waited_at;     /* time of the last progress report since then */
};

/* Creates a transfer that takes over `spec`. NULL: memory is short, and the spec is unchanged. */
struct transfer *transfer_create(bgt_task task, const struct transfer_host *host, const struct transfer_limits *limits,
                                 int container, const struct spec *spec);
/* Prepares the first request. */
void transfer_start(struct transfer *transfer);
/* Continues after a request has ended. */
void transfer_continue(struct transfer *transfer, CURLcode code);
/* Moves the cursor and reports progress when it is time. `now` in milliseconds. */
void transfer_tick(struct transfer *transfer, int64_t now);
/* The end of a published file, with 0 or an errno. */
void transfer_published(struct transfer *transfer, int problem);
/* Ends an expiring transfer: the cursor moves, and the end is not reported. */
void transfer_interrupt(struct transfer *transfer);
void transfer_release(struct transfer *transfer);

/* Ends the try. The message is formatted. */
void transfer_fail(struct transfer *transfer, uint32_t result, uint32_t fault, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Ends the try because of an errno of its file. */
void transfer_fail_file(struct transfer *transfer, const char *action, int problem);
/* The same for an errno of the incomplete file: a directory that is missing or foreign may be mended by the host. */
void transfer_fail_staging(struct transfer *transfer, const char *action, int problem);
/* Ends the try because of a failed request. */
void transfer_fail_request(struct transfer *transfer, CURLcode code);
/* Ends the try as a decision says. */
void transfer_fail_decided(struct transfer *transfer);
void transfer_finish(struct transfer *transfer, int64_t bytes);
/* The handle's options for a request to `transfer->url`. Ends the try when they are refused. */
void transfer_request(struct transfer *transfer);
/* Overwrites and frees the headers of the request. */
void transfer_release_headers(struct transfer *transfer);
/* Requests the URL of the description again: the target of a redirect may have expired. */
void transfer_request_first(struct transfer *transfer);
/* Follows the redirect of the last answer, or ends the try. */
void transfer_redirect(struct transfer *transfer);

#endif
