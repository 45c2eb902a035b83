/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef LOGTRIM_H
#define LOGTRIM_H

/* Keeps the log files of a directory within a size, by cutting the oldest lines off the largest files.
 *
 * This is an ordinary library: it does not depend on its caller, prints nothing, keeps no state between calls, and
 * needs only Linux and its C library. It may be called from any thread.
 *
 * It is not log rotation. Files are not renamed, compressed or reopened: they keep their names and inodes. A process
 * that has a file open continues to write where it was, and no line that is written meanwhile is lost. Writing the
 * newest lines to another file and renaming it would be simpler. But every running program would then continue to write
 * to a file without a name.
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

/* Results of logtrim_run. The meaning of a number never changes. */
enum {
    LOGTRIM_DONE = 0,       /* the files are within the limit, whether a cut was needed or not */
    LOGTRIM_INVALID = 1,    /* an argument is invalid; no file was changed */
    LOGTRIM_NO_DIRECTORY = 2,  /* the directory cannot be opened or read; no file was changed */
    LOGTRIM_BUSY = 3,       /* another logtrim_run works in the directory; no file was changed */
    LOGTRIM_NO_MEMORY = 4,  /* no file was changed */
    LOGTRIM_INCOMPLETE = 5, /* a file could not be cut, or the limit is too small for the number of files */
    LOGTRIM_CANCELLED = 6   /* the flag was set: every file is either unchanged or completely cut */
};

/* Bytes at the end of each file that are kept whatever the limit, so that no log is emptied. Also the least limit. */
#define LOGTRIM_LEAST 65536

/* Cuts the matching files of a directory until they have `limit` bytes together.
 *
 * directory  Only regular files directly in this directory count, without subdirectories and links. Neither it nor a
 *            file in it may be reached through a symbolic link; its parents may be links. A file with two names counts
 *            once.
 * pattern    Pattern of the names, as a shell writes it: "*.log", "app-*.log". Only match text files with lines: the
 *            beginning of a compressed file cannot be removed. Hidden files need a pattern with a leading dot.
 * limit      In bytes, at least LOGTRIM_LEAST. The size of a file is its disk space, or its length if that is less. All
 *            files that are too large are cut to one size, and smaller files are not changed.
 * pause_ms   Pause in milliseconds between two files, for a disk with other users; 0: none.
 * cancel     A flag that is polled continuously and that another thread may set: not 0 means stop soon. The run stops
 *            between two files, never within one. NULL: no cancellation.
 * freed      Receives the number of freed bytes, whatever the result. NULL: not wanted.
 * report     Receives one line for users, without a newline, cut to fit, always NUL-terminated: the work done on
 *            success, otherwise the problem and its remedy. NULL, with capacity 0: not wanted.
 * capacity   Size of the report's buffer in bytes.
 *
 * The kept part begins with a whole line and ends with the newest byte. If the kept part is a single line, its
 * beginning is missing. The way in which the beginning is removed depends on the file system:
 *
 *     ext4, XFS, F2FS   Whole blocks are removed and the rest moves to the front. The partial line at the cut, less
 *                       than one block, is overwritten with blanks: the file begins with a blank line.
 *     Btrfs, tmpfs, ... The space is freed and reads as zeros. All other bytes stay in place, and the file keeps its
 *                       length; du shows its new size.
 *     others            The file is not changed, and the report names it.
 *
 * Both are one transaction in the file system's own journal. After a crash, a kill or a power cut the file is either
 * unchanged, except for the blanks, or completely cut. Programs must append to their logs (O_APPEND, `>>`), as for
 * logrotate's copytruncate. Otherwise a program continues at its old position, and the gap before it reads as zeros.
 *
 * Requires permission to read and write the files. Modification times change. */
LOGTRIM_API int32_t logtrim_run(const char *directory, const char *pattern, int64_t limit, int32_t pause_ms,
                                const int32_t *cancel, int64_t *freed, char *report, uint64_t capacity);

#ifdef __cplusplus
}
#endif

#endif
