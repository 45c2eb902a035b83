/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Removes the beginning of a file to which another process is writing. All changes are made before its end, in bytes
 * that are no longer written, with calls that keep its inode and its end. */

#define _GNU_SOURCE

#include "Cut.h"

#include "Cancel.h"
#include "LogTrim.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 16384 };

/* The beginning of the kept part. */
struct place {
    int64_t block; /* a multiple of the block size: the blocks before it can be removed */
    int64_t line;  /* the first whole line; less than a block later */
};

static int64_t block_size(const struct stat *status) {
    /* Larger sizes occur on network file systems, where blocks cannot be removed anyway. */
    const int64_t size = status->st_blksize;
    return size > 0 && size <= LOGTRIM_LEAST ? size : LOGTRIM_LEAST;
}

/* Finds the position after the first newline at or after `from`; `end` when there is none. */
static int find_line(int descriptor, int64_t from, int64_t end, const int32_t *cancel, int64_t *line) {
    char bytes[CHUNK];
    *line = end;
    for (int64_t at = from; at < end;) {
        if (is_cancelled(cancel)) {
            return ECANCELED;
        }
        const int64_t wanted = end - at < CHUNK ? end - at : CHUNK;
        const ssize_t count = pread(descriptor, bytes, (size_t)wanted, at);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        if (count == 0) {
            return 0; /* the file was truncated meanwhile */
        }
        if (count < 0) {
            continue;
        }
        const char *newline = memchr(bytes, '\n', (size_t)count);
        if (newline != NULL) {
            *line = at + (newline - bytes) + 1;
            return 0;
        }
        at += count;
    }
    return 0;
}

static int find_place(int descriptor, const struct stat *status, int64_t level, const int32_t *cancel,
                      struct place *place) {
    const int64_t end = status->st_size, block = block_size(status);
    const int64_t first = (end - level + block - 1) / block * block;
    /* The search includes the newline before `first`: if it is there, no part of a line remains. */
    const int problem = find_line(descriptor, first - 1, end, cancel, &place->line);
    if (problem == 0 && place->line >= end) {
        place->line = first; /* all one line: its newest bytes are kept */
    }
    place->block = place->line / block * block;
    return problem;
}

/* Overwrites the rest of a line before the first whole one with blanks, up to its newline. */
static int blank(int descriptor, const struct place *place) {
    char blanks[CHUNK];
    memset(blanks, ' ', sizeof blanks);
    for (int64_t at = place->block; at < place->line - 1;) {
        const int64_t wanted = place->line - 1 - at < CHUNK ? place->line - 1 - at : CHUNK;
        const ssize_t count = pwrite(descriptor, blanks, (size_t)wanted, at);
        if (count < 0 && errno != EINTR) {
            return errno;
        }
        at += count > 0 ? count : 0;
    }
    return 0;
}

static int cannot_collapse(int problem) {
    return problem == EOPNOTSUPP || problem == ENOSYS || problem == EINVAL;
}

/* The blanks are written first. In the other order, the file would briefly begin with a partial line. Also, another
 * process may have moved the position of the blanks by then. */
static int take_out(int descriptor, const struct place *place) {
    const int problem = blank(descriptor, place);
    if (problem != 0) {
        return problem;
    }
    if (fallocate(descriptor, FALLOC_FL_COLLAPSE_RANGE, 0, place->block) == 0) {
        return 0;
    }
    if (!cannot_collapse(errno)) {
        return errno;
    }
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, place->line) == 0 ? 0 : errno;
}

static int cut_open_file(int descriptor, const struct log_file *file, int64_t level, const int32_t *cancel,
                         int64_t *freed) {
    struct stat before, after;
    struct place place;
    if (fstat(descriptor, &before) != 0) {
        return errno;
    }
    const int is_the_same = before.st_ino == file->inode && before.st_dev == file->device;
    if (!is_the_same || bytes_of(&before) <= level) {
        return 0;
    }
    int problem = find_place(descriptor, &before, level, cancel, &place);
    if (problem == 0) {
        problem = take_out(descriptor, &place);
    }
    if (problem == 0 && fstat(descriptor, &after) == 0 && bytes_of(&after) < bytes_of(&before)) {
        *freed = bytes_of(&before) - bytes_of(&after);
    }
    return problem;
}

int cut_file(const struct log_directory *directory, const struct log_file *file, int64_t level, const int32_t *cancel,
             int64_t *freed) {
    *freed = 0;
    /* Without O_APPEND, because Linux would append the blanks; non-blocking, because the file may have become a
     * pipe. */
    const int flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const int descriptor = openat(directory->descriptor, file->name, flags);
    if (descriptor < 0) {
        /* Removed, or replaced by a link or a directory, since the directory was read. */
        return errno == ENOENT || errno == ELOOP || errno == EISDIR || errno == ENXIO ? 0 : errno;
    }
    const int problem = cut_open_file(descriptor, file, level, cancel, freed);
    close(descriptor);
    return problem;
}
