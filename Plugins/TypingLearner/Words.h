/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TYPING_LEARNER_WORDS_H
#define TYPING_LEARNER_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum { WORD_BYTES_MIN = 2, WORD_BYTES_MAX = 64 };

/* A position in a text. */
struct words {
    const uint8_t *next;
    const uint8_t *end;
};

/* 1 if the bytes are valid UTF-8: no overlong form, no surrogate, no code point above U+10FFFF. */
int is_utf8(const uint8_t *bytes, size_t length);

/* Copies the next word, NUL-terminated, and returns its length in bytes; 0 at the end. A word is a run of ASCII
 * letters, digits and non-ASCII characters, with ASCII letters in lower case. Runs outside of the bounds are skipped.
 * FeedReader splits the titles of its entries by the same rule. */
size_t next_word(struct words *words, char word[WORD_BYTES_MAX + 1]);

#endif
