/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#define _GNU_SOURCE
#include "bgl_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Each level needs one descriptor. */
enum { DEEPEST_GIVEN = 200, DEEPEST_COUNTED = 64 };

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

int bgl_has_access_list(const char *path) { return getxattr(path, "system.posix_acl_access", NULL, 0) > 0; }

/* A search for new entries. */
struct count {
    int64_t since;
    uint32_t device_major, device_minor;
    int64_t found;
    /* Number of entries that may still be examined. */
    int rest;
};

static int64_t nanoseconds(struct statx_timestamp time) { return time.tv_sec * 1000000000 + time.tv_nsec; }

/* Closes the stream. */
static void count_in(DIR *stream, struct count *count, int depth);

static void count_entry(int directory, const char *name, struct count *count, int depth) {
    struct statx status;
    const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
    if (statx(directory, name, flags, STATX_TYPE | STATX_CTIME | STATX_BTIME, &status) != 0) return;
    if (status.stx_dev_major != count->device_major || status.stx_dev_minor != count->device_minor) return;
    const int has_birth = (status.stx_mask & STATX_BTIME) != 0;
    if (nanoseconds(has_birth ? status.stx_btime : status.stx_ctime) >= count->since) count->found += 1;
    if (!S_ISDIR(status.stx_mode) || depth + 1 == DEEPEST_COUNTED) return;
    DIR *inner = open_entries(directory, name);
    if (inner != NULL) count_in(inner, count, depth + 1);
}

static void count_in(DIR *stream, struct count *count, int depth) {
    struct dirent *entry;
    while (count->rest > 0 && (entry = next_entry(stream)) != NULL) {
        count->rest -= 1;
        count_entry(dirfd(stream), entry->d_name, count, depth);
    }
    closedir(stream);
}

int64_t bgl_count_created(int directory, int64_t since, int limit) {
    struct statx status;
    if (statx(directory, "", AT_EMPTY_PATH, STATX_TYPE, &status) != 0) return -errno;
    DIR *stream = open_entries(directory, ".");
    if (stream == NULL) return -errno;
    struct count count = {
        .since = since,
        .device_major = status.stx_dev_major,
        .device_minor = status.stx_dev_minor,
        .rest = limit,
    };
    count_in(stream, &count, 0);
    return count.found;
}

/* A sum of disk use. */
struct sum {
    uint32_t device_major, device_minor;
    int64_t bytes;
    int rest;
    int is_partial;
};

/* Closes the stream. */
static void sum_in(DIR *stream, struct sum *sum, int depth);

static void sum_entry(int directory, const char *name, struct sum *sum, int depth) {
    struct statx status;
    const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
    if (statx(directory, name, flags, STATX_TYPE | STATX_BLOCKS, &status) != 0) return;
    if (status.stx_dev_major != sum->device_major || status.stx_dev_minor != sum->device_minor) return;
    if (status.stx_blocks > (uint64_t)(INT64_MAX - sum->bytes) / 512) {
        sum->is_partial = 1;
        return;
    }
    sum->bytes += (int64_t)status.stx_blocks * 512;
    if (!S_ISDIR(status.stx_mode)) return;
    DIR *inner = depth + 1 == DEEPEST_COUNTED ? NULL : open_entries(directory, name);
    if (inner == NULL) {
        sum->is_partial = 1;
        return;
    }
    sum_in(inner, sum, depth + 1);
}

static void sum_in(DIR *stream, struct sum *sum, int depth) {
    struct dirent *entry;
    while (!sum->is_partial && (entry = next_entry(stream)) != NULL) {
        if (sum->rest == 0) {
            sum->is_partial = 1;
            break;
        }
        sum->rest -= 1;
        sum_entry(dirfd(stream), entry->d_name, sum, depth);
    }
    closedir(stream);
}

int64_t bgl_tree_bytes(int directory, int limit) {
    struct statx status;
    if (statx(directory, "", AT_EMPTY_PATH, STATX_TYPE | STATX_BLOCKS, &status) != 0) return -errno;
    DIR *stream = open_entries(directory, ".");
    if (stream == NULL) return -errno;
    struct sum sum = {
        .device_major = status.stx_dev_major,
        .device_minor = status.stx_dev_minor,
        .rest = limit,
    };
    sum_in(stream, &sum, 0);
    return sum.is_partial ? -E2BIG : sum.bytes;
}
