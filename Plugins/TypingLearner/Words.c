/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#include "Words.h"

#include <string.h>

/* Length of a sequence in bytes, 0 if `first` is not a valid first byte; also the bounds of its second byte. */
static size_t sequence(uint8_t first, uint8_t *least, uint8_t *most) {
    *least = 0x80;
    *most = 0xBF;
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first <= 0xDF) {
        return 2;
    }
    if (first >= 0xE0 && first <= 0xEF) {
        *least = first == 0xE0 ? 0xA0 : 0x80;
        *most = first == 0xED ? 0x9F : 0xBF;
        return 3;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        *least = first == 0xF0 ? 0x90 : 0x80;
        *most = first == 0xF4 ? 0x8F : 0xBF;
        return 4;
    }
    return 0;
}

int is_utf8(const uint8_t *bytes, size_t length) {
    size_t index = 0;
    while (index < length) {
        uint8_t least, most;
        const size_t count = sequence(bytes[index], &least, &most);
        if (count == 0 || count > length - index) {
            return 0;
        }
        for (size_t place = 1; place < count; place++) {
            const uint8_t byte = bytes[index + place];
            if (byte < (place == 1 ? least : 0x80) || byte > (place == 1 ? most : 0xBF)) {
                return 0;
            }
        }
        index += count;
    }
    return 1;
}

static int is_letter(uint8_t byte) {
    return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

size_t next_word(struct words *words, char word[WORD_BYTES_MAX + 1]) {
    while (words->next < words->end) {
        const uint8_t *const start = words->next;
        while (words->next < words->end && is_letter(*words->next)) {
            words->next++;
        }
        const size_t length = (size_t)(words->next - start);
        if (length == 0) {
            words->next++;
        }
        if (length < WORD_BYTES_MIN || length > WORD_BYTES_MAX) {
            continue;
        }
        memcpy(word, start, length);
        word[length] = '\0';
        for (char *letter = word; *letter != '\0'; letter++) {
            *letter = (char)(*letter >= 'A' && *letter <= 'Z' ? *letter + ('a' - 'A') : *letter);
        }
        return length;
    }
    return 0;
}
