/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef DATABASE_CLEANER_H
#define DATABASE_CLEANER_H

#include <bgtask.h>

#define PRUNE "com.example.databasecleaner.prune"
#define VACUUM "com.example.databasecleaner.vacuum"

/* The two handlers. Each completes its task exactly once, as its last call. */
void prune(void *context, const bgt_host *host, bgt_task task);
void vacuum(void *context, const bgt_host *host, bgt_task task);

/* Makes a request for one of the two tasks pending, due in `minutes`. Logs a refusal. Not allowed in an expiration
 * handler. */
int32_t submit_in(const bgt_host *host, const char *identifier, int64_t minutes);

/* submit_in, unless a request for the task is pending. BGT_OK: a request is pending. */
int32_t submit_missing(const bgt_host *host, const char *identifier, int64_t minutes);

/* Writes a printf-formatted line to the host's log. */
__attribute__((__format__(__printf__, 3, 4))) void log_line(const bgt_host *host, uint32_t level, const char *format,
                                                            ...);

/* A number with separators, 1234567 as "1,234,567". Pass `grouped(n).text` to a call; it is valid until the end of that
 * statement. */
struct grouped {
    char text[32];
};
struct grouped grouped(int64_t number);

#endif
