/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#define _GNU_SOURCE
#include "bgl_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Each level needs one descriptor. */
enum { DEEPEST_GIVEN = 200, DEEPEST_COUNTED = 64 };

/* XFS takes inodes from the free space. This is their default size in bytes. */
enum { XFS_INODE = 512 };

/* Opens the entries of a directory; the stream owns the descriptor. Returns NULL and sets errno. */
static DIR *open_entries(int directory, const char *name) {
    int inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) return NULL;
    DIR *stream = fdopendir(inner);
    if (stream == NULL) {
        int error = errno;
        close(inner);
        errno = error;
    }
    return stream;
}

/* The next entry without those for the directory itself and its parent; NULL at the end. */
static struct dirent *next_entry(DIR *stream) {
    struct dirent *entry;
    do {
        entry = readdir(stream);
    } while (entry != NULL && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry;
}

/* A change of owners. */
struct gift {
    uid_t from;
    uid_t user;
    gid_t group;
    /* Number of entries that may still be changed. */
    int rest;
};

/* Closes the stream. Returns 0, 1 when a part is left, or a negative errno. */
static int give(DIR *stream, struct gift *gift, int depth);

/* Does not give away a file with several links: one of them may be outside, such as a file of the host. */
static int give_file(int directory, const char *name, struct gift *gift) {
    int file = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return errno == ENOENT ? 0 : -errno;
    struct stat status;
    int result = 0;
    if (fstat(file, &status) != 0) {
        result = -errno;
    } else if (status.st_uid == gift->from && status.st_nlink == 1) {
        gift->rest -= 1;
        if (fchownat(file, "", gift->user, gift->group, AT_EMPTY_PATH) != 0) result = -errno;
    }
    close(file);
    return result;
}

static int give_entry(int directory, const char *name, struct gift *gift, int depth) {
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT ? 0 : -errno;
    if (status.st_uid != gift->from) return 0;
    if (!S_ISDIR(status.st_mode)) return give_file(directory, name, gift);
    if (depth == DEEPEST_GIVEN) return 0;
    DIR *inner = open_entries(directory, name);
    if (inner == NULL) return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
    return give(inner, gift, depth + 1);
}

static int give(DIR *stream, struct gift *gift, int depth) {
    const int directory = dirfd(stream);
    int result = 0;
    struct dirent *entry;
    while (result == 0 && (entry = next_entry(stream)) != NULL)
        result = gift->rest > 0 ? give_entry(directory, entry->d_name, gift, depth) : 1;
    if (result == 0) {
        /* Last: an unfinished directory is recognized by its owner, and the next part skips a finished one. */
        gift->rest -= 1;
        if (fchown(directory, gift->user, gift->group) != 0) result = -errno;
    }
    closedir(stream);
    return result;
}

int bgl_give_tree(int directory, uid_t from, uid_t user, gid_t group, int limit) {
    struct gift gift = {.from = from, .user = user, .group = group, .rest = limit};
    DIR *stream = open_entries(directory, ".");
    return stream == NULL ? -errno : give(stream, &gift, 0);
}

int bgl_exchange(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0 ? 0 : -errno;
}

int bgl_move(const char *from, const char *to, int replaces) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, replaces ? 0 : RENAME_NOREPLACE) == 0 ? 0 : -errno;
}

int bgl_has_access_list(const char *path) { return getxattr(path, "system.posix_acl_access", NULL, 0) > 0; }

/* The measurement of a tree. */
struct measurement {
    int64_t since;
    uint32_t device_major, device_minor;
    /* User whose closed directories are opened; -1 for none. */
    uid_t opens_of;
    /* Size of an inode that takes free bytes; 0 on a file system with a separate table of inodes. */
    int64_t inode_bytes;
    int64_t created, bytes;
    /* Number of entries that may still be examined. */
    int rest;
    /* Whether a part was not examined: too many entries or levels, or a directory that cannot be read. */
    int is_partial;
};

static int64_t nanoseconds(struct statx_timestamp time) { return time.tv_sec * 1000000000 + time.tv_nsec; }

/* An open directory. */
struct opened {
    DIR *stream;
    /* Mode to restore; equal to `mode` when it was not changed. */
    mode_t before, mode;
};

/* Opens the entries of a directory also when its owner has closed it. Only the owner's own directories are changed: the
 * plugin closed them, and could open them. The stream is NULL on failure, with errno. */
static struct opened open_closed(int directory, const char *name, uid_t owner) {
    struct opened opened = {NULL, 0, 0};
    int place = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (place < 0) return opened;
    struct stat status;
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", place);
    if (fstat(place, &status) == 0) {
        opened.before = opened.mode = status.st_mode & 07777;
        const mode_t open = opened.mode | S_IRUSR | S_IXUSR;
        /* The link leads to the opened directory, whatever is at its path now. */
        if (open != opened.mode && status.st_uid == owner && chmod(link, open) == 0) opened.mode = open;
    }
    opened.stream = open_entries(place, ".");
    const int error = errno;
    if (opened.stream == NULL && opened.mode != opened.before) chmod(link, opened.before);
    close(place);
    errno = error;
    return opened;
}

/* Restores the mode, unless the plugin has changed it meanwhile. */
static void close_again(struct opened opened) {
    struct stat status;
    const int directory = dirfd(opened.stream);
    if (opened.mode != opened.before && fstat(directory, &status) == 0 && (status.st_mode & 07777) == opened.mode)
        fchmod(directory, opened.before);
    closedir(opened.stream);
}

/* Closes the directory. */
static void measure_in(struct opened opened, struct measurement *sum, int depth);

static void measure_entry(int directory, const char *name, struct measurement *sum, int depth) {
    struct statx status;
    const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
    const unsigned mask = STATX_TYPE | STATX_NLINK | STATX_BLOCKS | STATX_CTIME | STATX_BTIME;
    if (statx(directory, name, flags, mask, &status) != 0) return;
    if (status.stx_dev_major != sum->device_major || status.stx_dev_minor != sum->device_minor) return;
    const int has_birth = (status.stx_mask & STATX_BTIME) != 0;
    if (nanoseconds(has_birth ? status.stx_btime : status.stx_ctime) >= sum->since) sum->created += 1;
    const int is_directory = S_ISDIR(status.stx_mode);
    const int64_t bytes = (int64_t)status.stx_blocks * 512 + sum->inode_bytes;
    sum->bytes += is_directory || status.stx_nlink == 0 ? bytes : bytes / status.stx_nlink;
    if (!is_directory) return;
    struct opened inner = {NULL, 0, 0};
    /* Without a time of creation, the change of the mode would look like a creation to the next measurement. */
    if (depth + 1 < DEEPEST_COUNTED) inner = open_closed(directory, name, has_birth ? sum->opens_of : (uid_t)-1);
    if (inner.stream != NULL)
        measure_in(inner, sum, depth + 1);
    else
        sum->is_partial = 1;
}

static void measure_in(struct opened opened, struct measurement *sum, int depth) {
    struct dirent *entry;
    while ((entry = next_entry(opened.stream)) != NULL) {
        if (sum->rest == 0) {
            sum->is_partial = 1;
            break;
        }
        sum->rest -= 1;
        measure_entry(dirfd(opened.stream), entry->d_name, sum, depth);
    }
    close_again(opened);
}

/* Measures a tree into a sum whose time and limit are set. Returns a negative errno when its top cannot be read. */
static int measure(const char *path, struct measurement *sum, int opens_closed) {
    struct statx status;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_UID | STATX_BLOCKS, &status) != 0) return -errno;
    sum->opens_of = opens_closed ? status.stx_uid : (uid_t)-1;
    struct opened opened = open_closed(AT_FDCWD, path, sum->opens_of);
    if (opened.stream == NULL) return -errno;
    struct statfs system;
    const int is_xfs = fstatfs(dirfd(opened.stream), &system) == 0 && system.f_type == XFS_SUPER_MAGIC;
    sum->device_major = status.stx_dev_major;
    sum->device_minor = status.stx_dev_minor;
    sum->inode_bytes = is_xfs ? XFS_INODE : 0;
    sum->bytes = (int64_t)status.stx_blocks * 512;
    measure_in(opened, sum, 0);
    return 0;
}

int bgl_measure_tree(const char *path, int64_t since, int limit, int64_t *created, int64_t *bytes) {
    struct measurement sum = {.since = since, .rest = limit};
    const int error = measure(path, &sum, 1);
    if (error != 0) return error;
    *created = sum.created;
    *bytes = sum.bytes;
    return 0;
}

int64_t bgl_tree_bytes(const char *path, int limit) {
    struct measurement sum = {.rest = limit};
    const int error = measure(path, &sum, 0);
    if (error != 0) return error;
    return sum.is_partial ? -E2BIG : sum.bytes;
}

int bgl_defers_free_space(const char *path) {
    struct statfs system;
    return statfs(path, &system) == 0 && system.f_type == BTRFS_SUPER_MAGIC;
}

int bgl_sync_disk(int file) { return syncfs(file) == 0 ? 0 : -errno; }
