/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_TREE_H
#define BGL_TREE_H

#include <stdint.h>
#include <sys/types.h>

/* Gives a directory, and everything below it that belongs to the user `from`, to another user and group: about `limit`
 * entries of it. Follows no symbolic link, and leaves out files with several links: one of them may lie elsewhere.
 * Directories below 200 levels keep their owner. A directory is changed after its entries, and the directory itself is
 * last, so that a repeated call continues an earlier one. Returns 0, 1 when a part is left, or a negative errno. */
int bgl_give_tree(int directory, uid_t from, uid_t user, gid_t group, int limit);

/* Measures a directory with everything below it: the number of entries that were created at a time, in nanoseconds
 * since 1970, or later, and the bytes that all entries occupy. Where the file system does not record the creation, the
 * time of the last change of an entry counts. The bytes of a file are divided among its links. Examines at most `limit`
 * entries and 64 levels, follows no symbolic link, and stays on the file system: both values are lower bounds. Opens
 * directories that the owner of the top directory has closed, and restores their mode. Returns 0, or a negative errno
 * when the directory cannot be read. */
int bgl_measure_tree(const char *path, int64_t since, int limit, int64_t *created, int64_t *bytes);

/* The bytes that the entries below a directory occupy, as bgl_measure_tree adds them up, without a change of any mode.
 * Returns -E2BIG when a part could not be examined, another negative errno when the directory cannot be read. */
int64_t bgl_tree_bytes(const char *path, int limit);

/* Whether the file system of a path lowers its free space when it commits written pages, not when a program writes: btrfs.
 * Zero on failure. */
int bgl_defers_free_space(const char *path);

/* Writes all changes of the file system that contains an open file to disk. Returns a negative errno on failure. */
int bgl_sync_disk(int file);

/* Exchanges two existing files or directories of one file system at once. Returns 0, or a negative errno: EINVAL on a
 * file system that cannot. */
int bgl_exchange(const char *one, const char *other);

/* Moves a file to another name of the file system at once. Returns 0, or a negative errno: EEXIST when the name exists,
 * unless `replaces`. */
int bgl_move(const char *from, const char *to, int replaces);

/* Whether a file has an access control list, which decides in place of its mode. Follows symbolic links. */
int bgl_has_access_list(const char *path);

#endif
