/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* OpenSSL's low-level functions: deprecated, but the only ones whose state can be stored. They use the instructions of
 * the processor for SHA-256. */

#define OPENSSL_SUPPRESS_DEPRECATED

#include "digest.h"

#include "bytes.h"

#include <openssl/sha.h>
#include <string.h>

static void to_context(const struct digest *digest, SHA256_CTX *context) {
    const uint64_t bits = digest->bytes << 3;
    memset(context, 0, sizeof *context);
    memcpy(context->h, digest->words, sizeof digest->words);
    memcpy(context->data, digest->block, sizeof digest->block);
    context->Nl = (uint32_t)bits;
    context->Nh = (uint32_t)(bits >> 32);
    context->num = digest->bytes % 64;
    context->md_len = DIGEST_SIZE;
}

static void from_context(const SHA256_CTX *context, struct digest *digest, size_t count) {
    memcpy(digest->words, context->h, sizeof digest->words);
    memcpy(digest->block, context->data, sizeof digest->block);
    digest->bytes += count;
}

void digest_start(struct digest *digest) {
    SHA256_CTX context;
    SHA256_Init(&context);
    digest->bytes = 0;
    from_context(&context, digest, 0);
}

void digest_add(struct digest *digest, const void *bytes, size_t count) {
    SHA256_CTX context;
    to_context(digest, &context);
    SHA256_Update(&context, bytes, count);
    from_context(&context, digest, count);
}

void digest_value(const struct digest *digest, uint8_t value[DIGEST_SIZE]) {
    SHA256_CTX context;
    to_context(digest, &context);
    SHA256_Final(value, &context);
}

void digest_save(const struct digest *digest, uint8_t state[DIGEST_STATE_SIZE]) {
    for (size_t i = 0; i < 8; i++) {
        put32(state + 4 * i, digest->words[i]);
    }
    put64(state + 32, digest->bytes);
    memset(state + 40, 0, 64);
    memcpy(state + 40, digest->block, digest->bytes % 64);
}

void digest_load(struct digest *digest, const uint8_t state[DIGEST_STATE_SIZE]) {
    for (size_t i = 0; i < 8; i++) {
        digest->words[i] = get32(state + 4 * i);
    }
    digest->bytes = get64(state + 32);
    memcpy(digest->block, state + 40, 64);
}

void digest_of(const void *bytes, size_t count, uint8_t value[DIGEST_SIZE]) {
    struct digest digest;
    digest_start(&digest);
    digest_add(&digest, bytes, count);
    digest_value(&digest, value);
}
