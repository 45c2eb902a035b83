/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Deletes old rows in batches. Each batch is a transaction, and the row that it reached is the task's cursor. Therefore
 * pruning may be stopped or killed at any point, and the next run continues there. */

#include "DatabaseCleaner.h"
#include "Job.h"
#include "Place.h"
#include "Settings.h"

#include <sqlite3.h>

struct pruning {
    const struct settings *settings;
    const bgt_host *host;
    bgt_task task;
    int64_t cutoff; /* seconds since 1970 */
    int64_t old_rows; /* when pruning began; -1: not counted */
    int64_t deleted_rows;
    int64_t batches;
    int64_t last_row; /* highest row id that a batch reached; the next batch only searches above it */
    int is_whole;     /* a search of the whole table found no old row */
};

static int prepare(sqlite3 *database, const char *pattern, const struct settings *settings, sqlite3_stmt **out) {
    char *sql = sqlite3_mprintf(pattern, settings->table, settings->table, settings->age_column);
    const int result = sql == NULL ? SQLITE_NOMEM : sqlite3_prepare_v2(database, sql, -1, out, NULL);
    sqlite3_free(sql);
    return result;
}

static int count_old_rows(sqlite3 *database, struct pruning *pruning) {
    sqlite3_stmt *count = NULL;
    int result = prepare(database, "SELECT count(*) FROM \"%w\" WHERE \"%w\".\"%w\" < ?1", pruning->settings, &count);
    if (result == SQLITE_OK) {
        sqlite3_bind_int64(count, 1, pruning->cutoff);
        result = sqlite3_step(count) == SQLITE_ROW ? SQLITE_OK : sqlite3_errcode(database);
        pruning->old_rows = result == SQLITE_OK ? sqlite3_column_int64(count, 0) : -1;
    }
    sqlite3_finalize(count);
    return result;
}

/* Deletes one batch in one statement, hence one transaction. SQLITE_OK: it is committed. */
static int delete_batch(sqlite3_stmt *batch, struct pruning *pruning) {
    int64_t last_row = pruning->last_row;
    int64_t deleted = 0;
    int result = SQLITE_ROW;
    sqlite3_bind_int64(batch, 1, pruning->last_row);
    sqlite3_bind_int64(batch, 2, pruning->cutoff);
    sqlite3_bind_int64(batch, 3, pruning->settings->batch_rows);
    while ((result = sqlite3_step(batch)) == SQLITE_ROW) {
        const int64_t row = sqlite3_column_int64(batch, 0);
        last_row = row > last_row ? row : last_row;
        deleted += 1;
    }
    sqlite3_reset(batch);
    if (result != SQLITE_DONE) {
        return result;
    }
    pruning->is_whole = deleted == 0 && pruning->last_row == INT64_MIN;
    pruning->last_row = deleted == 0 ? INT64_MIN : last_row; /* after a concurrent vacuum the rows may be renumbered */
    if (deleted > 0) {
        place_move(pruning->host, pruning->task, last_row);
    }
    pruning->deleted_rows += deleted;
    pruning->batches += deleted > 0;
    return SQLITE_OK;
}

/* SQLITE_OK: no old row is left. SQLITE_INTERRUPT: the job must stop. */
static int delete_batches(struct job *job, sqlite3 *database, struct pruning *pruning) {
    sqlite3_stmt *batch = NULL;
    int result = prepare(database,
                         "DELETE FROM \"%w\" WHERE rowid IN (SELECT rowid FROM \"%w\" WHERE rowid > ?1 AND \"%w\" < ?2 "
                         "ORDER BY rowid LIMIT ?3) RETURNING rowid",
                         pruning->settings, &batch);
    while (result == SQLITE_OK && !pruning->is_whole) {
        const int must_stop = pruning->batches > 0 && pruning->settings->pause_ms > 0
                                  ? job_pause(job, pruning->settings->pause_ms)
                                  : job_must_stop(job);
        result = must_stop ? SQLITE_INTERRUPT : delete_batch(batch, pruning);
    }
    sqlite3_finalize(batch);
    return result;
}

static int64_t next_minutes(const struct settings *settings) { return settings->every_minutes; }

/* At the end of the work: a newer request would end the task in place of its continuation after an interruption. */
static void submit_next(const bgt_host *host, const struct settings *settings) {
    if (next_minutes(settings) > 0) {
        submit_in(host, PRUNE, next_minutes(settings));
    }
}

static int32_t report(struct job *job, sqlite3 *database, const struct pruning *pruning, int result) {
    const bgt_host *host = pruning->host;
    const struct settings *settings = pruning->settings;
    const char *batches = pruning->batches == 1 ? "batch" : "batches";
    if (result == SQLITE_OK) {
        submit_next(host, settings);
        log_line(host, BGT_LOG_INFO, "pruned %s rows of %s older than %s days in %s %s, none left",
                 grouped(pruning->deleted_rows).text, settings->table, grouped(settings->keep_days).text,
                 grouped(pruning->batches).text, batches);
        return pruning->deleted_rows > 0 ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_NO_DATA;
    }
    /* A lock that was not obtained in time also counts as a stop. */
    if (job_must_stop(job) && (result == SQLITE_INTERRUPT || (result & 0xFF) == SQLITE_BUSY)) {
        const int64_t left = pruning->old_rows - pruning->deleted_rows;
        const int is_kept = place_is_kept(host, pruning->task);
        log_line(host, BGT_LOG_WARNING, "pruned %s rows of %s in %s %s, %s left: stopped because %s%s",
                 grouped(pruning->deleted_rows).text, settings->table, grouped(pruning->batches).text, batches,
                 left >= 0 ? grouped(left).text : "an unknown number", job_stop_reason(job),
                 is_kept ? "; the next run continues there" : "");
        if (!is_kept) {
            submit_in(host, PRUNE, settings->resume_minutes);
        }
        return BGT_OUTCOME_FAILURE;
    }
    submit_next(host, settings);
    log_line(host, BGT_LOG_ERROR, "database %s: %s; before, %s rows of %s were pruned in %s %s", settings->database,
             sqlite3_errmsg(database), grouped(pruning->deleted_rows).text, settings->table,
             grouped(pruning->batches).text, batches);
    return BGT_OUTCOME_FAILURE;
}

static int32_t prune_database(struct job *job, const bgt_host *host, bgt_task task, sqlite3 *database,
                              const struct settings *settings) {
    struct pruning pruning = {.settings = settings, .host = host, .task = task, .old_rows = -1};
    pruning.last_row = place_read(host, task);
    pruning.cutoff = bgt_seconds_from_now(-settings->keep_days * 86400) / 1000000000;
    int result = count_old_rows(database, &pruning);
    if (result == SQLITE_OK) {
        result = delete_batches(job, database, &pruning);
    }
    return report(job, database, &pruning, result);
}

void prune(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const struct work work = {
        .identifier = PRUNE, .next_minutes = next_minutes, .submits_next = 1, .run = prune_database};
    job_run(host, task, &work);
}
