/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Structs of the plugin: their size field limits each access (BGT-ABI-03). */

#include "host.h"
#include <string.h>

/* A larger size is an error, not a newer plugin. */
enum { LONGEST = 4096 };

static uint32_t size_of(const void *address) {
    uint32_t size;
    memcpy(&size, address, sizeof size);
    return size;
}

bool has_valid_size(const void *address, size_t minimum) {
    const uint32_t size = size_of(address);
    return size <= LONGEST && size >= minimum;
}

bool fill(void *address, const void *value, size_t size, size_t minimum) {
    if (!has_valid_size(address, minimum)) return false;
    const size_t known = size < size_of(address) ? size : size_of(address);
    const size_t whole = size_of(address);
    memcpy((uint8_t *)address + sizeof(uint32_t), (const uint8_t *)value + sizeof(uint32_t), known - sizeof(uint32_t));
    memset((uint8_t *)address + known, 0, whole - known);
    return true;
}

int32_t read_struct(const void *address, void *value, size_t size, size_t minimum) {
    if (!has_valid_size(address, minimum)) return BGT_INVALID;
    const size_t whole = size_of(address);
    const size_t known = size < whole ? size : whole;
    for (size_t index = known; index < whole; index++) {
        if (((const uint8_t *)address)[index] != 0) return BGT_TOO_NEW;
    }
    memset(value, 0, size);
    memcpy(value, address, known);
    return BGT_OK;
}
