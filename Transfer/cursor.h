/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_CURSOR_H
#define TRANSFER_CURSOR_H

#include "digest.h"

#include <stddef.h>
#include <stdint.h>

enum { CURSOR_MAX = 4096, VALIDATOR_MAX = 512, BOOT_SIZE = 16 };

/* The validator of one version of the source. Either string may be empty; a weak ETag is not kept. */
struct validator {
    char etag[VALIDATOR_MAX];
    char last_modified[64];
};

/* The place of a download, from which a later process continues. All bytes before `offset` are on the disk. */
struct cursor {
    int64_t offset;
    int64_t total; /* bytes of the whole file; -1: not known */
    int64_t best;  /* the largest offset so far, over restarts */
    uint32_t restarts;
    uint32_t source_changes;
    uint32_t restarts_without_progress; /* since the offset last exceeded `best` */
    int has_source; /* whether the following members are set */
    uint8_t address[DIGEST_SIZE]; /* digest of the final URL, which may have secrets */
    uint8_t place[DIGEST_SIZE];   /* digest of the final URL without its query */
    struct validator validator;
    uint8_t boot[BOOT_SIZE]; /* of the machine when the cursor moved */
    int has_expected;        /* whether the server sent a digest of the whole file */
    uint8_t expected[DIGEST_SIZE];
    uint8_t digest[DIGEST_STATE_SIZE]; /* after `offset` bytes */
};

void cursor_clear(struct cursor *cursor);
/* Returns the number of bytes, at most CURSOR_MAX. */
size_t cursor_encode(const struct cursor *cursor, uint8_t bytes[CURSOR_MAX]);
/* Returns 0, or -1 when the bytes are damaged or of another version; the cursor is cleared then. */
int cursor_decode(struct cursor *cursor, const uint8_t *bytes, size_t length);

#endif
