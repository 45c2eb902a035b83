/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_DIGEST_H
#define TRANSFER_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_SIZE = 32, DIGEST_STATE_SIZE = 104 };

/* SHA-256 in progress. Its state can be stored after any number of bytes, so that a later process continues it without
 * reading the file again. */
struct digest {
    uint32_t words[8];
    uint64_t bytes;
    uint8_t block[64]; /* the bytes of an incomplete block */
};

void digest_start(struct digest *digest);
void digest_add(struct digest *digest, const void *bytes, size_t count);
/* The digest of the bytes so far; more may follow. */
void digest_value(const struct digest *digest, uint8_t value[DIGEST_SIZE]);
void digest_save(const struct digest *digest, uint8_t state[DIGEST_STATE_SIZE]);
void digest_load(struct digest *digest, const uint8_t state[DIGEST_STATE_SIZE]);
/* The digest of one string. */
void digest_of(const void *bytes, size_t count, uint8_t value[DIGEST_SIZE]);

#endif
