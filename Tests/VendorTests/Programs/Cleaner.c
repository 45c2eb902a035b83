/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Runs DatabaseCleaner in the fake host: a prune that deletes nothing before its expiration, one that is stopped after a
 * batch, and a vacuum. A failed check ends the program. The argument is an empty directory. */

#include <bgtask-testing.h>
#include <sched.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define PRUNE "com.example.databasecleaner.prune"
#define VACUUM "com.example.databasecleaner.vacuum"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __func__, __LINE__, #condition);                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

int32_t bgtask_plugin_entry(const bgt_host *table, bgt_plugin *plugin);

static bgtt_host *new_host(const char *directory) {
    bgtt_host *host = bgtt_new("com.example.databasecleaner");
    bgtt_permit(host, PRUNE);
    bgtt_permit(host, VACUUM);
    bgtt_set_container(host, directory);
    bgtt_set_setting(host, "batch-rows", "1");
    bgtt_set_setting(host, "pause-ms", "60000");
    CHECK(bgtt_enter(host, bgtask_plugin_entry) == BGT_OK);
    return host;
}

static bgt_task start_prune(bgtt_host *host) {
    const bgtt_delivery prune = {.identifier = PRUNE, .kind = BGT_KIND_PROCESSING};
    return bgtt_deliver(host, &prune);
}

static void expire(bgtt_host *host, bgt_task task) {
    CHECK(bgtt_expire(host, task, BGT_EXPIRED_BUDGET) == 1);
    CHECK(bgtt_wait(host, task) == BGT_OUTCOME_FAILURE);
}

/* The host may give up a task that continues without a movement. */
static void check_prune_without_batch(bgtt_host *host, sqlite3 *database) {
    CHECK(bgtt_set_cursor(host, PRUNE, "1", 1, NULL));
    CHECK(sqlite3_exec(database, "BEGIN EXCLUSIVE", NULL, NULL, NULL) == SQLITE_OK);
    expire(host, start_prune(host));
    CHECK(sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK);
    CHECK(bgtt_pending_request(host, PRUNE) != NULL);
    CHECK(bgtt_cursor(host, PRUNE, NULL, 0) == 1);
}

/* A request would take the place of the task that continues. */
static void check_prune_after_batch(bgtt_host *host) {
    const bgt_task task = start_prune(host);
    while (bgtt_cursor(host, PRUNE, NULL, 0) == 0) {
        CHECK(bgtt_outcome(host, task) == 0);
        (void)sched_yield();
    }
    expire(host, task);
    CHECK(bgtt_pending_request(host, PRUNE) == NULL);
}

static void check_vacuum(bgtt_host *host) {
    CHECK(bgtt_run(host, VACUUM, BGT_KIND_PROCESSING) == BGT_OUTCOME_SUCCESS);
    CHECK(bgtt_pending_request(host, PRUNE) != NULL && bgtt_pending_request(host, VACUUM) != NULL);
    const size_t count = bgtt_submission_count(host);
    (void)bgtt_run(host, VACUUM, BGT_KIND_PROCESSING);
    CHECK(bgtt_submission_count(host) == count + 1); /* the next vacuum: a prune is pending */
}

int main(int count, char **arguments) {
    char path[4096];
    sqlite3 *database = NULL;
    CHECK(count == 2);
    snprintf(path, sizeof path, "%s/files.sqlite", arguments[1]);
    CHECK(sqlite3_open(path, &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database,
                       "CREATE TABLE files (path TEXT, modified INTEGER);"
                       "WITH RECURSIVE row (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM row LIMIT 1000)"
                       "INSERT INTO files SELECT hex(randomblob(50)), 0 FROM row",
                       NULL, NULL, NULL) == SQLITE_OK);

    bgtt_host *host = new_host(arguments[1]);
    check_prune_without_batch(host, database);
    CHECK(bgtt_end(host) == 0);
    bgtt_free(host);

    host = new_host(arguments[1]);
    check_prune_after_batch(host);
    CHECK(sqlite3_exec(database, "DELETE FROM files", NULL, NULL, NULL) == SQLITE_OK);
    check_vacuum(host);
    CHECK(bgtt_end(host) == 0);
    bgtt_free(host);

    CHECK(sqlite3_close(database) == SQLITE_OK);
    puts("every check holds");
    return 0;
}
