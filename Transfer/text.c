/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#include "text.h"

#include <string.h>
#include <strings.h>

static int is_digit(char byte) { return byte >= '0' && byte <= '9'; }

static int is_letter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }

int text_digits(const char **at, int64_t *number) {
    int64_t value = 0;
    if (!is_digit(**at)) {
        return -1;
    }
    for (; is_digit(**at); (*at)++) {
        const int digit = **at - '0';
        if (value > (INT64_MAX - digit) / 10) {
            return -1;
        }
        value = value * 10 + digit;
    }
    *number = value;
    return 0;
}

int text_number(const char *text, int64_t *number) {
    return text_digits(&text, number) == 0 && *text == '\0' ? 0 : -1;
}

static int nibble(char byte) {
    if (is_digit(byte)) {
        return byte - '0';
    }
    const char lower = (char)(byte | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

int text_hexadecimal(const char *text, uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const int high = nibble(text[2 * i]);
        const int low = high < 0 ? -1 : nibble(text[2 * i + 1]);
        if (low < 0) {
            return -1;
        }
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return 0;
}

int text_base64(const char *text, size_t length, uint8_t *bytes, size_t capacity) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    unsigned count = 0;
    size_t filled = 0;
    while (length > 0 && text[length - 1] == '=') {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        const char *digit = text[i] == '\0' ? NULL : strchr(digits, text[i]);
        if (digit == NULL) {
            return -1;
        }
        bits = bits << 6 | (uint32_t)(digit - digits);
        count += 6;
        if (count >= 8) {
            count -= 8;
            if (filled == capacity) {
                return -1;
            }
            bytes[filled++] = (uint8_t)(bits >> count);
        }
    }
    return (int)filled;
}

int text_is_same_word(const char *left, const char *right) { return strcasecmp(left, right) == 0; }

int text_is_token(const char *text) {
    for (const char *at = text; *at != '\0'; at++) {
        if (!is_letter(*at) && !is_digit(*at) && strchr("!#$%&'*+-.^_`|~", *at) == NULL) {
            return 0;
        }
    }
    return *text != '\0';
}

int text_is_printable(const char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) {
            return 0;
        }
    }
    return 1;
}
