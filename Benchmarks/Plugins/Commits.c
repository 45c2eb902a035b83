/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * Durable commits without a host, for SECONDS in a new file of DIRECTORY. Prints the start and the end of each commit,
 * in nanoseconds of the monotonic clock.
 *
 *     Commits DIRECTORY SECONDS append     4 KiB at the end of a file, then fdatasync
 *     Commits DIRECTORY SECONDS ROWS       a transaction of SQLite with that many rows, WAL, synchronous=FULL */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int file;
static sqlite3 *database;
static sqlite3_stmt *begin, *insert, *commit;
static int rows;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int append(void) {
    static const char block[4096];
    return write(file, block, sizeof block) == sizeof block && fdatasync(file) == 0 ? 0 : -1;
}

static int step(sqlite3_stmt *statement) {
    const int status = sqlite3_step(statement);
    return status == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK ? 0 : -1;
}

/* A row has the size of a stored request. */
static int transact(void) {
    static int64_t number;
    if (step(begin) != 0) return -1;
    for (int row = 0; row < rows; row++) {
        char identifier[64];
        snprintf(identifier, sizeof identifier, "com.example.commits.job.r%09lld", (long long)++number);
        sqlite3_bind_int64(insert, 1, number);
        sqlite3_bind_text(insert, 2, identifier, -1, SQLITE_STATIC);
        sqlite3_bind_int64(insert, 3, now_ns());
        if (step(insert) != 0) return -1;
    }
    return step(commit);
}

static int open_database(const char *path) {
    static const char *const schema =
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE request (number INTEGER PRIMARY KEY, identifier TEXT NOT NULL, submitted_at INTEGER NOT NULL)";
    if (sqlite3_open(path, &database) != SQLITE_OK || sqlite3_exec(database, schema, NULL, NULL, NULL) != SQLITE_OK) {
        return -1;
    }
    return sqlite3_prepare_v2(database, "BEGIN IMMEDIATE", -1, &begin, NULL) == SQLITE_OK
        && sqlite3_prepare_v2(database, "INSERT INTO request VALUES (?, ?, ?)", -1, &insert, NULL) == SQLITE_OK
        && sqlite3_prepare_v2(database, "COMMIT", -1, &commit, NULL) == SQLITE_OK ? 0 : -1;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const int64_t seconds = atoll(argv[2]);
    char path[4096];
    snprintf(path, sizeof path, "%s/commits-%s", argv[1], argv[3]);
    rows = atoi(argv[3]);
    file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || (rows > 0 && open_database(path) != 0)) return 1;
    const int64_t beginning = now_ns();
    for (int64_t start = beginning; start - beginning < seconds * 1000000000;) {
        if ((rows > 0 ? transact() : append()) != 0) return 1;
        const int64_t end = now_ns();
        printf("%lld %lld\n", (long long)start, (long long)end);
        start = end;
    }
    return 0;
}
