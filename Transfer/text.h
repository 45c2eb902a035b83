/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_TEXT_H
#define TRANSFER_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Reads a decimal number without a sign, of the whole string. Returns 0, or -1 when it is none or too large. */
int text_number(const char *text, int64_t *number);

/* Reads digits of a number and moves `at` behind them. Returns 0 or -1. */
int text_digits(const char **at, int64_t *number);

/* Reads `count` bytes from twice as many hexadecimal digits. Returns 0 or -1. */
int text_hexadecimal(const char *text, uint8_t *bytes, size_t count);

/* Reads at most `capacity` bytes from Base64 with padding. Returns their number, or -1. */
int text_base64(const char *text, size_t length, uint8_t *bytes, size_t capacity);

/* Whether two words are equal apart from the case of ASCII letters. */
int text_is_same_word(const char *left, const char *right);

/* Whether the text is a token of HTTP. */
int text_is_token(const char *text);

/* Whether the text has no control character. */
int text_is_printable(const char *text);

#endif
