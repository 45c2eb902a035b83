/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_PART_H
#define TRANSFER_PART_H

#include <stddef.h>
#include <stdint.h>

/* The incomplete file of a transfer. The functions return 0 or an errno. */
struct part {
    int directory;      /* of the incomplete and of the complete file; -1: not open */
    int file;           /* -1: not open */
    const char *name;   /* within the directory */
    const char *target;
};

void part_init(struct part *part);
/* Opens the directory of `path`. Each part of the path is opened alone, so that no symbolic link leads out of the
 * container. `name` receives the last part of the path. */
int part_open_directory(int container, const char *path, int *directory, const char **name);
/* Opens or creates the file, and locks it. EBUSY: another process has it. */
int part_open(struct part *part, int container, const char *path, const char *target);
/* Removes the complete file. */
void part_remove_target(const struct part *part);
/* Opens the complete file for reading. Returns 0, or an errno when it does not exist or is no regular file. */
int part_open_target(const struct part *part, struct part *target);
int64_t part_size(const struct part *part);
/* Shortens the file to `offset` bytes, durably. */
int part_cut(const struct part *part, int64_t offset);
/* Whether the file system has space for `total` bytes of the file and leaves `reserve` bytes free. ENOSPC: it has too
 * little. Nothing is allocated before it is written: the sandbox refuses it, and it makes writes to the disk slower. */
int part_check_space(const struct part *part, int64_t offset, int64_t total, int64_t reserve);
int part_write(const struct part *part, int64_t offset, const void *bytes, size_t count);
int part_read(const struct part *part, int64_t offset, void *bytes, size_t count);
/* Returns when the written bytes are on the disk. */
int part_sync(const struct part *part);
void part_remove(const struct part *part);
void part_close(struct part *part);
/* Renames complete files into place, durably. The files are written together, which is faster than one after another.
 * `problems` receives 0 or an errno for each. */
void part_publish(struct part *const *parts, int *problems, size_t count);

#endif
