/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef LOGTRIM_DIRECTORY_H
#define LOGTRIM_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct log_file {
    char *name;
    dev_t device;
    ino_t inode;
    int64_t bytes;
};

/* A directory's log files at the time of reading; they may grow, appear and disappear afterwards. */
struct log_directory {
    int descriptor;
    struct log_file *files; /* largest first */
    size_t count;
    int64_t bytes; /* sum over all files */
};

/* Disk space of a file in bytes, at most its length. Blocks that are reserved beyond the end are not counted, nor is a
 * beginning that was freed. */
int64_t bytes_of(const struct stat *status);

/* Opens the directory and locks it against other runs. Returns 0 or an errno; EWOULDBLOCK: another run has the lock. */
int directory_open(struct log_directory *directory, const char *path);

/* Finds the matching files. Returns 0 or an errno; ECANCELED: the flag was set. */
int directory_read(struct log_directory *directory, const char *pattern, const int32_t *cancel);

/* The size to which every larger file is cut, so that all files have `limit` bytes together. INT64_MAX: no cut is
 * needed. */
int64_t directory_level(const struct log_directory *directory, int64_t limit);

/* Releases all resources, whatever the other calls returned. */
void directory_close(struct log_directory *directory);

#endif
