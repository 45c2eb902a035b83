/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#include "Counts.h"

#include <sqlite3.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SCHEMA_VERSION = 1, BUSY_RETRY_NS = 20000000, WORDS_BETWEEN_POLLS = 256 };

static const char SCHEMA[] = "CREATE TABLE word (word TEXT PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;"
                             "CREATE TABLE lesson (event INTEGER PRIMARY KEY, words INTEGER NOT NULL);"
                             "PRAGMA user_version = 1;";

struct counting {
    const bgt_host *host;
    bgt_task event;
    sqlite3 *database;
};

void log_line(const bgt_host *host, uint32_t level, const char *format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    bgt_log(host, level, line);
}

/* Launches for events do not overlap, but the main plugin may be reading, or its vendor's tools may be writing. */
static int wait_for_lock(void *context, int attempt) {
    (void)attempt;
    const struct counting *const counting = context;
    const struct timespec pause = {0, BUSY_RETRY_NS};
    nanosleep(&pause, NULL);
    return !bgt_is_expiring(counting->host, counting->event);
}

static int failed(const struct counting *counting, const char *what) {
    log_line(counting->host, BGT_LOG_ERROR, "typing.sqlite: %s: %s", what, sqlite3_errmsg(counting->database));
    return 0;
}

static int run(const struct counting *counting, const char *sql) {
    return sqlite3_exec(counting->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 1 : failed(counting, sql);
}

/* The value of a query with one row. */
static int ask(const struct counting *counting, const char *sql, int64_t argument, int64_t *answer) {
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(counting->database, sql, -1, &statement, NULL);
    if (result == SQLITE_OK && sqlite3_bind_parameter_count(statement) == 1) {
        result = sqlite3_bind_int64(statement, 1, argument);
    }
    if (result == SQLITE_OK) {
        result = sqlite3_step(statement);
    }
    if (result == SQLITE_ROW) {
        *answer = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return result == SQLITE_ROW ? 1 : failed(counting, sql);
}

static int prepare_schema(const struct counting *counting) {
    int64_t version = 0;
    if (!ask(counting, "PRAGMA user_version", 0, &version)) {
        return 0;
    }
    if (version > SCHEMA_VERSION) {
        log_line(counting->host, BGT_LOG_ERROR,
                 "typing.sqlite has schema %lld; this plugin supports %d and does not change it",
                 (long long)version, SCHEMA_VERSION);
        return 0;
    }
    return version == SCHEMA_VERSION || run(counting, SCHEMA);
}

static int add_words(const struct counting *counting, struct words words, int64_t *count) {
    sqlite3_stmt *add = NULL;
    const char sql[] = "INSERT INTO word (word, count) VALUES (?1, 1) ON CONFLICT DO UPDATE SET count = count + 1";
    if (sqlite3_prepare_v2(counting->database, sql, -1, &add, NULL) != SQLITE_OK) {
        return failed(counting, "words");
    }
    char word[WORD_BYTES_MAX + 1];
    int result = SQLITE_DONE;
    for (size_t length; result == SQLITE_DONE && (length = next_word(&words, word)) > 0; *count += 1) {
        if (*count % WORDS_BETWEEN_POLLS == 0 && bgt_is_expiring(counting->host, counting->event)) {
            bgt_log(counting->host, BGT_LOG_WARNING, "stopped after the expiration; no word is counted");
            sqlite3_finalize(add);
            return 0;
        }
        sqlite3_bind_text(add, 1, word, (int)length, SQLITE_STATIC);
        result = sqlite3_step(add);
        sqlite3_reset(add);
    }
    sqlite3_finalize(add);
    return result == SQLITE_DONE ? 1 : failed(counting, "words");
}

static int count_once(const struct counting *counting, int64_t number, struct words words, struct lesson *lesson) {
    int64_t is_counted = 0;
    if (!run(counting, "BEGIN IMMEDIATE") || !prepare_schema(counting)
        || !ask(counting, "SELECT count(*) FROM lesson WHERE event = ?1", number, &is_counted)) {
        return 0;
    }
    /* A repeated delivery: the last launch was interrupted between the commit and the completion. */
    if (!is_counted) {
        char keep[96];
        if (!add_words(counting, words, &lesson->words)) {
            return 0;
        }
        snprintf(keep, sizeof keep, "INSERT INTO lesson (event, words) VALUES (%lld, %lld)", (long long)number,
                 (long long)lesson->words);
        if (!run(counting, keep)) {
            return 0;
        }
    }
    return ask(counting, "SELECT count(*) FROM word", 0, &lesson->known) && run(counting, "COMMIT");
}

int count_words(const bgt_host *host, bgt_task event, uint64_t number, struct words words, struct lesson *lesson) {
    struct counting counting = {host, event, NULL};
    char path[4096];
    memset(lesson, 0, sizeof *lesson);
    const int32_t status = bgt_container_path(host, path, sizeof path - sizeof "/typing.sqlite", NULL);
    if (status != BGT_OK) {
        log_line(host, BGT_LOG_ERROR, "container: %s", bgt_status_name(host, status));
        return 0;
    }
    strcat(path, "/typing.sqlite");
    int is_counted = 0;
    if (sqlite3_open_v2(path, &counting.database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK) {
        (void)failed(&counting, "cannot be opened");
    } else {
        sqlite3_busy_handler(counting.database, wait_for_lock, &counting);
        is_counted = run(&counting, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
                     && count_once(&counting, (int64_t)number, words, lesson);
    }
    sqlite3_close(counting.database); /* rolls back an uncommitted transaction */
    return is_counted;
}
