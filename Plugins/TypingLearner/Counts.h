/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TYPING_LEARNER_COUNTS_H
#define TYPING_LEARNER_COUNTS_H

#include "Words.h"

#include <bgtask.h>

/* Result of counting one text. */
struct lesson {
    int64_t words;
    int64_t known; /* the number of distinct words of all texts so far */
};

/* Counts the words of an event's text in typing.sqlite of the container. It uses one transaction, so that all words or
 * none are counted, and counts each event once, however often it is delivered. It waits for other processes as long as
 * the event may run.
 *
 *     word(word, count)      the counts
 *     lesson(event, words)   the counted events, by number
 *
 * Returns 1 if the event is counted, now or before; 0 if not, with the reason in the log. */
int count_words(const bgt_host *host, bgt_task event, uint64_t number, struct words words, struct lesson *lesson);

void log_line(const bgt_host *host, uint32_t level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
