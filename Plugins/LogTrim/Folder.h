/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef LOGTRIM_FOLDER_H
#define LOGTRIM_FOLDER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct log_file {
    char *name;
    dev_t device;
    ino_t inode;
    int64_t bytes;
};

/* A folder's log files as they were when it was read; they grow, come and go meanwhile. */
struct log_folder {
    int descriptor;
    struct log_file *files; /* largest first */
    size_t count;
    int64_t bytes; /* of all */
};

/* What a file takes of the disk. Not more than its length: blocks that are reserved for lines to come are not counted,
 * and neither is a beginning that was given back. */
int64_t bytes_of(const struct stat *status);

/* Opens the folder and keeps other runs out of it. 0, or what errno says; EWOULDBLOCK: another run is in it. */
int folder_open(struct log_folder *folder, const char *path);

/* Finds the files that match. 0, or what errno says; ECANCELED: the flag was raised. */
int folder_read(struct log_folder *folder, const char *pattern, const int32_t *cancel);

/* The size to which every larger file is cut, so that all have `limit` bytes together. INT64_MAX: they have already. */
int64_t folder_level(const struct log_folder *folder, int64_t limit);

/* Whatever became of the other calls. */
void folder_close(struct log_folder *folder);

#endif
