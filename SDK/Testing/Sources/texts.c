/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Strings that cross the ABI (BGT-ABI-07), and the rule for identifiers. */

#include "host.h"
#include <stdlib.h>
#include <string.h>

static bool is_continuation(uint8_t byte) { return (byte & 0xc0) == 0x80; }

/* The bounds of the second byte exclude overlong forms, surrogates and numbers beyond U+10FFFF. */
static size_t expected_length(uint8_t first, uint8_t *low, uint8_t *high) {
    *low = 0x80;
    *high = 0xbf;
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first <= 0xdf) return 2;
    if (first >= 0xe0 && first <= 0xef) {
        if (first == 0xe0) *low = 0xa0;
        if (first == 0xed) *high = 0x9f;
        return 3;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        if (first == 0xf0) *low = 0x90;
        if (first == 0xf4) *high = 0x8f;
        return 4;
    }
    return 0;
}

/* The number of bytes at the start that belong to one character, or to the beginning of one; at least 1. */
static size_t begun_length(const uint8_t *bytes, size_t count, bool *is_whole) {
    uint8_t low, high;
    const size_t expected = expected_length(bytes[0], &low, &high);
    *is_whole = expected == 1;
    if (expected < 2 || count < 2 || bytes[1] < low || bytes[1] > high) return 1;
    size_t length = 2;
    while (length < expected && length < count && is_continuation(bytes[length])) length++;
    *is_whole = length == expected;
    return length;
}

size_t valid_length(const uint8_t *bytes, size_t count) {
    bool is_whole = false;
    const size_t length = count == 0 ? 0 : begun_length(bytes, count, &is_whole);
    return is_whole ? length : 0;
}

char *read_text(const char *text, size_t limit) {
    const size_t count = strnlen(text, limit + 1);
    if (count > limit) return NULL;
    const uint8_t *bytes = (const uint8_t *)text;
    for (size_t index = 0, length; index < count; index += length) {
        length = valid_length(bytes + index, count - index);
        if (length == 0) return NULL;
    }
    char *copy = allocate(count + 1);
    memcpy(copy, text, count);
    return copy;
}

/* The length without an incomplete character at the end. */
static size_t whole_characters(const uint8_t *bytes, size_t count) {
    for (size_t start = count; start > 0 && count - start < 4;) {
        const uint8_t byte = bytes[--start];
        if (is_continuation(byte)) continue;
        const size_t length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
        return count - start < length ? start : count;
    }
    return count;
}

char *read_repaired(const char *text, size_t limit) {
    static const char replacement[] = "\xef\xbf\xbd";
    const uint8_t *bytes = (const uint8_t *)text;
    size_t count = strnlen(text, limit);
    if (count == limit) count = whole_characters(bytes, count);
    char *result = allocate(3 * count + 1);
    size_t size = 0;
    for (size_t index = 0, length; index < count; index += length) {
        bool is_whole;
        length = begun_length(bytes + index, count - index, &is_whole);
        const char *source = is_whole ? text + index : replacement;
        const size_t added = is_whole ? length : 3;
        memcpy(result + size, source, added);
        size += added;
    }
    return result;
}

static const char *flaw_of_labels(const char *text, bool allows_one_label) {
    const size_t length = strlen(text);
    if (length == 0) return "is empty; write a reverse-DNS name such as com.example.app.refresh";
    if (length > BGTASK_IDENTIFIER_MAX) return "has more than 255 bytes; shorten it";
    const bool has_one_label = strchr(text, '.') == NULL;
    if (has_one_label && !allows_one_label) {
        return "has no dot; write a reverse-DNS name such as com.example.app.refresh";
    }
    if (text[0] == '.' || text[length - 1] == '.' || strstr(text, "..") != NULL) {
        return "has an empty part; remove the extra dot";
    }
    for (const char *at = text; *at != 0; at++) {
        const char byte = *at;
        if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9')) continue;
        if (byte == '-' || byte == '_' || byte == '.') continue;
        return "contains a character other than A-Z, a-z, digits, hyphens, underscores and dots; remove it";
    }
    const char *events[] = {"started", "trigger", "fetch"};
    for (size_t index = 0; has_one_label && index < sizeof events / sizeof events[0]; index++) {
        if (strcmp(text, events[index]) == 0) {
            return "is the name of an event; write a reverse-DNS name such as com.example.app.refresh";
        }
    }
    return NULL;
}

const char *flaw_of_name(const char *text) { return flaw_of_labels(text, false); }

const char *flaw_of_task(const char *text) { return flaw_of_labels(text, true); }

const char *flaw_of_permitted(const char *text) {
    if (!is_pattern(text)) return flaw_of_task(text);
    char *prefix = copy_text(text);
    prefix[strlen(prefix) - 2] = 0;
    const char *flaw = flaw_of_name(prefix);
    free(prefix);
    return flaw;
}

bool is_pattern(const char *text) {
    const size_t length = strlen(text);
    return length >= 2 && strcmp(text + length - 2, ".*") == 0;
}

bool covers(const char *permitted, const char *identifier) {
    if (!is_pattern(permitted)) return strcmp(permitted, identifier) == 0;
    const size_t length = strlen(permitted) - 1;
    return strncmp(permitted, identifier, length) == 0;
}

int32_t write_text(const char *text, char *buffer, uint64_t capacity, uint64_t *needed) {
    if (buffer == NULL && capacity > 0) return BGT_INVALID;
    const size_t size = strlen(text) + 1;
    if (needed != NULL) *needed = size;
    if (buffer == NULL || capacity < size) {
        if (buffer != NULL && capacity > 0) *buffer = 0;
        return BGT_TRUNCATED;
    }
    memcpy(buffer, text, size);
    return BGT_OK;
}
