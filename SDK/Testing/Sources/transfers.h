/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The transfers of a fake host. */

#ifndef BGTASK_TESTING_TRANSFERS_H
#define BGTASK_TESTING_TRANSFERS_H

#include "host.h"

typedef struct transfer {
    bgt_transfer begun; /* as begun, with copies of its strings */
    uint64_t number;
    uint32_t state, http_status;
    char *code;
    char *file; /* relative to the container; NULL without one */
    uint64_t bytes, total;
    bool is_forgotten;
} transfer;

/* A copy of the transfer; NULL when it is malformed, with the problem. */
HIDDEN transfer *read_transfer(const bgt_transfer *address, problem *problem);
HIDDEN bool is_session(const char *text);
HIDDEN bool is_path(const char *file); /* relative, without empty parts, . and .. */
HIDDEN void free_transfer(void *item);
/* NULL for an unknown or forgotten one. Locked. */
HIDDEN transfer *transfer_at(bgtt_host *host, uint64_t number);
/* The absolute path of a file of the container. */
HIDDEN char *path_in(const bgtt_host *host, const char *file);

#endif /* BGTASK_TESTING_TRANSFERS_H */
