/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef LOGTRIM_H
#define LOGTRIM_H

/* Keeps the log files of a folder within a size, by cutting the oldest lines off the largest of them.
 *
 * A library like any other: it knows nothing of who calls it, prints nothing, keeps nothing between two calls, and
 * needs nothing but Linux and its C library. It may be called from any thread.
 *
 * It is not log rotation. Nothing is renamed, compressed or reopened: the files keep their names and their inodes, so
 * that whoever holds one open goes on writing where it was, and no line that is written meanwhile is lost. Writing the
 * newest lines beside a file and renaming them over it would be simpler, and would leave every running program writing
 * into a file that has no name any more.
 *
 *     #include "LogTrim.h"
 *
 *     char report[256];
 *     int64_t freed = 0;
 *     if (logtrim_run("/var/log/app", "*.log", 64 << 20, 0, NULL, &freed, report, sizeof report) != LOGTRIM_DONE) {
 *         fprintf(stderr, "%s\n", report);
 *     }
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define LOGTRIM_API __attribute__((visibility("default")))
#else
#define LOGTRIM_API
#endif

/* What logtrim_run returns. Numbers are never given another meaning. */
enum {
    LOGTRIM_DONE = 0,       /* the files are within the limit, whether anything had to be cut or not */
    LOGTRIM_INVALID = 1,    /* an argument is unusable; nothing was touched */
    LOGTRIM_NO_FOLDER = 2,  /* the folder cannot be opened or read; nothing was touched */
    LOGTRIM_BUSY = 3,       /* another logtrim_run is at work in the folder; nothing was touched */
    LOGTRIM_NO_MEMORY = 4,  /* nothing was touched */
    LOGTRIM_INCOMPLETE = 5, /* some file could not be cut, or the limit is too small for so many files */
    LOGTRIM_CANCELLED = 6   /* the flag was raised: every file is either as it was or cut as it should be */
};

/* As much of the end of each file stays whatever the limit is: nobody's log is emptied. Also the least limit. */
#define LOGTRIM_LEAST 65536

/* Cuts until the folder's files that match have `limit` bytes together.
 *
 * folder    Only the files directly in it count: no subfolders, no links, nothing but regular files. Neither it nor
 *           anything in it is reached through a symbolic link; its own parents may be. A file with two names counts
 *           once.
 * pattern   Which names count, as a shell writes it: "*.log", "app-*.log". Say what is text with lines: the beginning
 *           of a compressed file cannot be cut off. Hidden files need a pattern that begins with a dot.
 * limit     In bytes, LOGTRIM_LEAST at least. What counts is what a file takes of the disk, or its length if that is
 *           less. All files that are too large are cut to one size, and no file below that size is touched.
 * pace_ms   A pause between two files, for a disk that others need; 0: none.
 * cancel    Looked at all the time, also by another thread's leave: not 0 means to stop soon. It stops between two
 *           files, never within one. NULL: nobody will.
 * freed     What was given back, in bytes, whatever is returned. NULL: not wanted.
 * report    One line for people, without a newline, cut to fit, always ended by a NUL. On success what was done, else
 *           what is wrong and what to do about it. NULL, with capacity 0: not wanted.
 * capacity  Of the report, in bytes.
 *
 * What is kept begins with a whole line and ends with the newest byte, unless the kept part is all one line, which then
 * lacks its beginning. How a file loses its beginning is up to its file system:
 *
 *     ext4, XFS, F2FS   Whole blocks are taken out and the rest moves to the front. The line that the cut went
 *                       through, less than one block of it, is overwritten by blanks: the file begins with a blank line.
 *     Btrfs, tmpfs, ... The space is given back and zeros take its place. Everything stays where it was, and the file
 *                       keeps its length; du shows what it has become.
 *     neither           The file is left as it is, and the report names it.
 *
 * Either is one change in the file system's own journal: after a crash, a kill or a power cut the file is as it was, but
 * for the blanks at most, or cut as it should be. Programs must append to their logs (O_APPEND, `>>`), as for
 * logrotate's copytruncate: one that does not goes on at its old position, and the gap before it reads as zeros.
 *
 * Needs the right to read and write the files. Times of modification change. */
LOGTRIM_API int32_t logtrim_run(const char *folder, const char *pattern, int64_t limit, int32_t pace_ms,
                                const int32_t *cancel, int64_t *freed, char *report, uint64_t capacity);

#ifdef __cplusplus
}
#endif

#endif
