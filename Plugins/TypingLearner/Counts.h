/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TYPING_LEARNER_COUNTS_H
#define TYPING_LEARNER_COUNTS_H

#include "Words.h"

#include <bgtask.h>

/* What one text taught. */
struct lesson {
    int64_t words;
    int64_t known; /* different words, of all texts so far */
};

/* Counts the words of an event's text in typing.sqlite of the container, in one transaction: all of them or none, and
 * once for each event, however often it is delivered. Waits for other processes for as long as the event may run.
 *
 *     word(word, count)      the counts
 *     lesson(event, words)   which events they are made of, by their numbers
 *
 * 1: counted, or counted before; 0: not, and logged why. */
int count_words(const bgt_host *host, bgt_task event, uint64_t number, struct words words, struct lesson *lesson);

void log_line(const bgt_host *host, uint32_t level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
