/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef DATABASE_CLEANER_H
#define DATABASE_CLEANER_H

#include <bgtask.h>

#define PRUNE "com.example.databasecleaner.prune"
#define VACUUM "com.example.databasecleaner.vacuum"

/* The two handlers. Each completes its task exactly once, as its last act. */
void prune(void *context, const bgt_host *host, bgt_task task);
void vacuum(void *context, const bgt_host *host, bgt_task task);

/* Makes one of the two pending, due in so many minutes. Logs a refusal. Not in an expiration handler. */
int32_t submit_in(const bgt_host *host, const char *identifier, int64_t minutes);

/* printf into the host's log. */
__attribute__((__format__(__printf__, 3, 4))) void log_line(const bgt_host *host, uint32_t level, const char *format,
                                                            ...);

/* 1234567 as "1,234,567". Pass `grouped(n).text` to a call; it lives until the end of that statement. */
struct grouped {
    char text[32];
};
struct grouped grouped(int64_t number);

#endif
