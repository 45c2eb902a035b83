/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* One run: its arguments, its order, its report. Directory.c finds the files, Cut.c cuts one. */

#define _GNU_SOURCE

#include "LogTrim.h"

#include "Cancel.h"
#include "Cut.h"
#include "Directory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MILLISECONDS_BETWEEN_CHECKS = 20 };

/* The caller's buffer for the report. */
struct answer {
    char *text;
    uint64_t capacity;
};

struct run {
    int64_t freed;
    size_t cut_files;
    size_t failed_files;
    const char *first_failed;
    int first_problem;
};

/* Writes the report as one line; control characters, which file names may contain, are replaced. */
static void __attribute__((format(printf, 2, 3))) say(const struct answer *answer, const char *format, ...) {
    if (answer->text == NULL || answer->capacity == 0) {
        return;
    }
    va_list values;
    va_start(values, format);
    vsnprintf(answer->text, (size_t)answer->capacity, format, values);
    va_end(values);
    for (char *at = answer->text; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            *at = '?';
        }
    }
}

static const char *unusable(const char *directory, const char *pattern, int64_t limit, int32_t pause_ms) {
    if (directory == NULL || directory[0] == '\0') {
        return "no directory is named";
    }
    if (pattern == NULL || pattern[0] == '\0' || strchr(pattern, '/') != NULL) {
        return "the pattern has to match names of files, as *.log does: not empty, and without a slash";
    }
    if (limit < LOGTRIM_LEAST) {
        return "the limit is below 65536 bytes, which each file keeps";
    }
    return pause_ms < 0 ? "the pause is negative" : NULL;
}

/* Returns 0 when the flag was set. */
static int pause_for(int32_t milliseconds, const int32_t *cancel) {
    while (milliseconds > 0 && !is_cancelled(cancel)) {
        const int32_t step = milliseconds < MILLISECONDS_BETWEEN_CHECKS ? milliseconds : MILLISECONDS_BETWEEN_CHECKS;
        nanosleep(&(struct timespec){.tv_nsec = step * 1000000L}, NULL);
        milliseconds -= step;
    }
    return !is_cancelled(cancel);
}

/* Returns 0 when the flag was set. */
static int cut_files(const struct log_directory *directory, int64_t level, int32_t pause_ms, const int32_t *cancel,
                     struct run *run) {
    for (size_t i = 0; i < directory->count && directory->files[i].bytes > level; i++) {
        int64_t freed = 0;
        if (!pause_for(i > 0 ? pause_ms : 0, cancel)) {
            return 0;
        }
        const int problem = cut_file(directory, &directory->files[i], level, cancel, &freed);
        if (problem == ECANCELED) {
            return 0;
        }
        run->freed += freed;
        run->cut_files += freed > 0;
        if (problem != 0 && run->failed_files++ == 0) {
            run->first_failed = directory->files[i].name;
            run->first_problem = problem;
        }
    }
    return 1;
}

static int32_t unread(const struct answer *answer, const char *path, int problem) {
    switch (problem) {
    case EWOULDBLOCK:
        say(answer, "another run is at work in %s; let it finish", path);
        return LOGTRIM_BUSY;
    case ENOMEM:
        say(answer, "memory is short; nothing was cut");
        return LOGTRIM_NO_MEMORY;
    case ECANCELED:
        say(answer, "cancelled before anything was cut");
        return LOGTRIM_CANCELLED;
    case ELOOP:
    case ENOTDIR:
        say(answer, "%s is not a directory, or a link to one; name the directory itself", path);
        return LOGTRIM_NO_DIRECTORY;
    default:
        say(answer, "directory %s: %s", path, strerrordesc_np(problem));
        return LOGTRIM_NO_DIRECTORY;
    }
}

static int32_t conclude(const struct answer *answer, const struct log_directory *directory, int64_t limit,
                        int64_t level, int was_completed, const struct run *run) {
    const char *files = directory->count == 1 ? "file" : "files";
    if (!was_completed) {
        say(answer, "cancelled; freed %" PRId64 " of %" PRId64 " bytes in %zu of %zu %s", run->freed, directory->bytes,
            run->cut_files, directory->count, files);
        return LOGTRIM_CANCELLED;
    }
    if (run->failed_files > 0) {
        say(answer, "freed %" PRId64 " of %" PRId64 " bytes; %zu of %zu %s could not be cut, first %s: %s", run->freed,
            directory->bytes, run->failed_files, directory->count, files, run->first_failed,
            strerrordesc_np(run->first_problem));
        return LOGTRIM_INCOMPLETE;
    }
    if (level < LOGTRIM_LEAST) {
        say(answer, "freed %" PRId64 " of %" PRId64 " bytes; %zu %s, which keep %d bytes each, do not fit into %" PRId64
            "; raise the limit or take files away", run->freed, directory->bytes, directory->count, files, LOGTRIM_LEAST,
            limit);
        return LOGTRIM_INCOMPLETE;
    }
    say(answer, "freed %" PRId64 " of %" PRId64 " bytes in %zu of %zu %s", run->freed, directory->bytes, run->cut_files,
        directory->count, files);
    return LOGTRIM_DONE;
}

int32_t logtrim_run(const char *path, const char *pattern, int64_t limit, int32_t pause_ms, const int32_t *cancel,
                    int64_t *freed, char *report, uint64_t capacity) {
    const struct answer answer = {report, capacity};
    struct run run = {0};
    if (freed != NULL) {
        *freed = 0;
    }
    const char *mistake = unusable(path, pattern, limit, pause_ms);
    if (mistake != NULL) {
        say(&answer, "%s", mistake);
        return LOGTRIM_INVALID;
    }
    struct log_directory directory;
    int problem = directory_open(&directory, path);
    if (problem == 0) {
        problem = directory_read(&directory, pattern, cancel);
    }
    int32_t result = 0;
    if (problem != 0) {
        result = unread(&answer, path, problem);
    } else {
        const int64_t level = directory_level(&directory, limit);
        const int64_t most = level < LOGTRIM_LEAST ? LOGTRIM_LEAST : level;
        const int was_completed = cut_files(&directory, most, pause_ms, cancel, &run);
        result = conclude(&answer, &directory, limit, level, was_completed, &run);
    }
    directory_close(&directory);
    if (freed != NULL) {
        *freed = run.freed;
    }
    return result;
}
