/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Numbers in stored bytes, little-endian. */

#ifndef TRANSFER_BYTES_H
#define TRANSFER_BYTES_H

#include <stdint.h>

static inline void put32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> (8 * i));
    }
}

static inline void put64(uint8_t *at, uint64_t value) {
    put32(at, (uint32_t)value);
    put32(at + 4, (uint32_t)(value >> 32));
}

static inline uint32_t get32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t get64(const uint8_t *at) { return get32(at) | (uint64_t)get32(at + 4) << 32; }

#endif
