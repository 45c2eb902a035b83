/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef DATABASE_CLEANER_SETTINGS_H
#define DATABASE_CLEANER_SETTINGS_H

#include <bgtask.h>

/* The plugin's settings, as described in Plugins/manifests/com.example.databasecleaner.yaml. They do not change during
 * a launch. */
struct settings {
    char database[4096]; /* absolute */
    char table[256];
    char age_column[256];
    int64_t keep_days;
    int64_t batch_rows;
    int64_t pause_ms;
    int64_t every_minutes;
    int64_t vacuum_every_minutes;
    int64_t resume_minutes;
    int64_t checks_fully;
};

/* Fills every field. Returns 0 if all values are valid, else -1. An invalid value is logged; the values in `out` then
 * suffice for scheduling the next run, but not for deleting rows. */
int settings_read(const bgt_host *host, struct settings *out);

#endif
