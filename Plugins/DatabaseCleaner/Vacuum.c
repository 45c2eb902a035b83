/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Checks the database, then returns its free pages to the file system. SQLite writes a compact copy beside it and
 * applies it in one transaction. Stopped or killed at any point, the database is either the old or the new one. */

#include "DatabaseCleaner.h"
#include "Job.h"
#include "Settings.h"

#include <sqlite3.h>
#include <string.h>

enum { PROBLEMS_SHOWN = 5 };

static int read_pragma(sqlite3 *database, const char *sql, int64_t *out) {
    sqlite3_stmt *pragma = NULL;
    int result = sqlite3_prepare_v2(database, sql, -1, &pragma, NULL);
    if (result == SQLITE_OK) {
        result = sqlite3_step(pragma) == SQLITE_ROW ? SQLITE_OK : sqlite3_errcode(database);
        *out = sqlite3_column_int64(pragma, 0);
    }
    sqlite3_finalize(pragma);
    return result;
}

static int read_sizes(sqlite3 *database, int64_t *bytes, int64_t *free_pages) {
    int64_t page_size = 0, pages = 0;
    int result = read_pragma(database, "PRAGMA page_size", &page_size);
    if (result == SQLITE_OK) {
        result = read_pragma(database, "PRAGMA page_count", &pages);
    }
    if (result == SQLITE_OK) {
        result = read_pragma(database, "PRAGMA freelist_count", free_pages);
    }
    *bytes = pages * page_size;
    return result;
}

/* Logs a finding line by line, because each call logs one line. */
static void log_finding(const bgt_host *host, const char *path, const char *finding) {
    while (*finding != '\0') {
        const size_t length = strcspn(finding, "\n");
        log_line(host, BGT_LOG_ERROR, "database %s: %.*s", path, (int)length, finding);
        finding += length + (finding[length] == '\n');
    }
}

/* SQLITE_OK: sound. SQLITE_CORRUPT: damaged, and the findings are logged. */
static int check(const bgt_host *host, sqlite3 *database, const struct settings *settings) {
    sqlite3_stmt *pragma = NULL;
    const char *sql = settings->checks_fully ? "PRAGMA integrity_check(100)" : "PRAGMA quick_check(100)";
    int result = sqlite3_prepare_v2(database, sql, -1, &pragma, NULL);
    int problems = 0;
    while (result == SQLITE_OK && (result = sqlite3_step(pragma)) == SQLITE_ROW) {
        const char *finding = (const char *)sqlite3_column_text(pragma, 0);
        result = SQLITE_OK;
        if (finding != NULL && strcmp(finding, "ok") == 0) {
            continue;
        }
        if (problems++ < PROBLEMS_SHOWN) {
            log_finding(host, settings->database, finding != NULL ? finding : "damaged");
        }
    }
    sqlite3_finalize(pragma);
    if (problems > 0) {
        return SQLITE_CORRUPT;
    }
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* SQLITE_DONE: there are no free pages to return. */
static int check_and_vacuum(const bgt_host *host, struct job *job, sqlite3 *database, const struct settings *settings) {
    int64_t before = 0, after = 0, free_pages = 0;
    int result = check(host, database, settings);
    if (result == SQLITE_OK) {
        result = read_sizes(database, &before, &free_pages);
    }
    if (result == SQLITE_OK && free_pages == 0) {
        log_line(host, BGT_LOG_INFO, "checked %s: sound, %s KiB, no free pages", settings->database,
                 grouped(before / 1024).text);
        return SQLITE_DONE;
    }
    if (result == SQLITE_OK) {
        result = job_must_stop(job) ? SQLITE_INTERRUPT : sqlite3_exec(database, "VACUUM", NULL, NULL, NULL);
    }
    if (result == SQLITE_OK) {
        (void)read_sizes(database, &after, &free_pages); /* the vacuum is committed, whatever this returns */
        log_line(host, BGT_LOG_INFO, "checked and vacuumed %s: sound, %s KiB, %s KiB before", settings->database,
                 grouped(after / 1024).text, grouped(before / 1024).text);
    }
    return result;
}

static int32_t outcome_of(int result, const bgt_host *host, struct job *job, sqlite3 *database,
                          const struct settings *settings) {
    if (result == SQLITE_OK) {
        return BGT_OUTCOME_SUCCESS;
    }
    if (result == SQLITE_DONE) {
        return BGT_OUTCOME_NO_DATA;
    }
    /* A lock that was not obtained in time also counts as a stop. */
    if (job_must_stop(job) && (result == SQLITE_INTERRUPT || (result & 0xFF) == SQLITE_BUSY)) {
        log_line(host, BGT_LOG_WARNING, "vacuum of %s stopped because %s; the database is as it was",
                 settings->database, job_stop_reason(job));
        submit_in(host, VACUUM, settings->resume_minutes);
        return BGT_OUTCOME_FAILURE;
    }
    const int is_damaged = (result & 0xFF) == SQLITE_CORRUPT || (result & 0xFF) == SQLITE_NOTADB;
    log_line(host, BGT_LOG_ERROR, "database %s was not vacuumed: %s%s", settings->database,
             is_damaged ? sqlite3_errstr(result) : sqlite3_errmsg(database),
             is_damaged ? "; restore it from a backup" : "");
    return BGT_OUTCOME_FAILURE;
}

static int64_t next_minutes(const struct settings *settings) { return settings->vacuum_every_minutes; }

static int32_t vacuum_database(struct job *job, const bgt_host *host, bgt_task task, sqlite3 *database,
                               const struct settings *settings) {
    (void)task;
    const int result = check_and_vacuum(host, job, database, settings);
    return outcome_of(result, host, job, database, settings);
}

void vacuum(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const struct work work = {.identifier = VACUUM, .next_minutes = next_minutes, .run = vacuum_database};
    job_run(host, task, &work);
}
