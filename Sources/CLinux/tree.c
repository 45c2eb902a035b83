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

/* Each level needs two descriptors. */
enum { DEEPEST = 200 };

/* A change of owners. */
struct gift {
    uid_t from;
    uid_t user;
    gid_t group;
    /* Number of entries that may still be changed. */
    int rest;
};

/* Returns 0, 1 when a part is left, or a negative errno. */
static int give(int directory, struct gift *gift, int depth);

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
    if (depth == DEEPEST) return 0;
    int inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -errno;
    int result = give(inner, gift, depth + 1);
    close(inner);
    return result;
}

static int give(int directory, struct gift *gift, int depth) {
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) return -errno;
    DIR *stream = fdopendir(copy);
    if (stream == NULL) {
        int error = errno;
        close(copy);
        return -error;
    }
    int result = 0;
    struct dirent *entry;
    while (result == 0 && (entry = readdir(stream)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        result = gift->rest > 0 ? give_entry(directory, entry->d_name, gift, depth) : 1;
    }
    closedir(stream);
    if (result != 0) return result;
    /* Last: an unfinished directory is recognized by its owner, and the next part skips a finished one. */
    gift->rest -= 1;
    return fchown(directory, gift->user, gift->group) != 0 ? -errno : 0;
}

int bgl_give_tree(int directory, uid_t from, uid_t user, gid_t group, int limit) {
    struct gift gift = {.from = from, .user = user, .group = group, .rest = limit};
    return give(directory, &gift, 0);
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

static int count_in(int directory, struct count *count, int depth);

static void count_entry(int directory, const char *name, struct count *count, int depth) {
    struct statx status;
    const int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
    if (statx(directory, name, flags, STATX_TYPE | STATX_CTIME | STATX_BTIME, &status) != 0) return;
    if (status.stx_dev_major != count->device_major || status.stx_dev_minor != count->device_minor) return;
    const int has_birth = (status.stx_mask & STATX_BTIME) != 0;
    if (nanoseconds(has_birth ? status.stx_btime : status.stx_ctime) >= count->since) count->found += 1;
    if (!S_ISDIR(status.stx_mode) || depth == DEEPEST) return;
    int inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0) return;
    count_in(inner, count, depth + 1);
    close(inner);
}

static int count_in(int directory, struct count *count, int depth) {
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) return -errno;
    DIR *stream = fdopendir(copy);
    if (stream == NULL) {
        int error = errno;
        close(copy);
        return -error;
    }
    struct dirent *entry;
    while (count->rest > 0 && (entry = readdir(stream)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        count->rest -= 1;
        count_entry(directory, entry->d_name, count, depth);
    }
    closedir(stream);
    return 0;
}

int64_t bgl_count_created(int directory, int64_t since, int limit) {
    struct statx status;
    if (statx(directory, "", AT_EMPTY_PATH, STATX_TYPE, &status) != 0) return -errno;
    struct count count = {
        .since = since,
        .device_major = status.stx_dev_major,
        .device_minor = status.stx_dev_minor,
        .rest = limit,
    };
    int result = count_in(directory, &count, 0);
    return result < 0 ? result : count.found;
}
