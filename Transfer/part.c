/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 256, MANY = 8 };

void part_init(struct part *part) { *part = (struct part){.directory = -1, .file = -1}; }

int part_open_directory(int container, const char *path, int *directory, const char **name) {
    int at = dup(container);
    const char *slash;
    for (; at >= 0 && (slash = strchr(path, '/')) != NULL; path = slash + 1) {
        char step[NAME_MAX_BYTES];
        const size_t length = (size_t)(slash - path);
        if (length >= sizeof step) {
            close(at);
            return ENAMETOOLONG;
        }
        memcpy(step, path, length);
        step[length] = '\0';
        const int next = openat(at, step, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        const int problem = errno;
        close(at);
        at = next;
        errno = problem;
    }
    *directory = at;
    *name = path;
    return at < 0 ? errno : 0;
}

int part_open(struct part *part, int container, const char *path, const char *target) {
    struct stat status;
    const char *slash = strrchr(target, '/');
    const int problem = part_open_directory(container, path, &part->directory, &part->name);
    if (problem != 0) {
        return problem;
    }
    part->target = slash == NULL ? target : slash + 1;
    const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    part->file = openat(part->directory, part->name, flags, 0600);
    if (part->file < 0 || fstat(part->file, &status) != 0) {
        return errno;
    }
    if (!S_ISREG(status.st_mode) || status.st_nlink != 1) {
        return EINVAL;
    }
    return flock(part->file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno == EWOULDBLOCK ? EBUSY : errno;
}

int part_open_target(const struct part *part, struct part *target) {
    struct stat status;
    part_init(target);
    target->file = openat(part->directory, part->target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (target->file < 0 || fstat(target->file, &status) != 0) {
        return errno;
    }
    if (!S_ISREG(status.st_mode)) {
        part_close(target);
        return EINVAL;
    }
    return 0;
}

int64_t part_size(const struct part *part) {
    struct stat status;
    return fstat(part->file, &status) == 0 ? status.st_size : 0;
}

int part_cut(const struct part *part, int64_t offset) {
    if (part_size(part) <= offset) {
        return 0;
    }
    return ftruncate(part->file, offset) == 0 && fdatasync(part->file) == 0 ? 0 : errno;
}

int part_check_space(const struct part *part, int64_t offset, int64_t total, int64_t reserve) {
    struct statvfs system;
    struct stat status;
    if (fstatvfs(part->file, &system) != 0 || fstat(part->file, &status) != 0) {
        return errno;
    }
    const int64_t size = total > offset ? total : offset;
    const int64_t missing = size - (int64_t)status.st_blocks * 512;
    const uint64_t needed = (uint64_t)(missing > 0 ? missing : 0) + (uint64_t)reserve;
    if ((uint64_t)system.f_bavail < needed / system.f_frsize + (needed % system.f_frsize != 0)) {
        return ENOSPC;
    }
    return 0;
}

int part_write(const struct part *part, int64_t offset, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count > 0) {
        const ssize_t written = pwrite(part->file, at, count, offset);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        if (written > 0) {
            at += written;
            offset += written;
            count -= (size_t)written;
        }
    }
    return 0;
}

int part_read(const struct part *part, int64_t offset, void *bytes, size_t count) {
    char *at = bytes;
    while (count > 0) {
        const ssize_t got = pread(part->file, at, count, offset);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return got == 0 ? EIO : errno;
        }
        if (got > 0) {
            at += got;
            offset += got;
            count -= (size_t)got;
        }
    }
    return 0;
}

int part_sync(const struct part *part) { return fdatasync(part->file) == 0 ? 0 : errno; }

void part_remove(const struct part *part) {
    if (part->directory >= 0 && part->name != NULL) {
        unlinkat(part->directory, part->name, 0);
    }
}

void part_remove_target(const struct part *part) { unlinkat(part->directory, part->target, 0); }

void part_close(struct part *part) {
    if (part->file >= 0) {
        close(part->file);
    }
    if (part->directory >= 0) {
        close(part->directory);
    }
    part_init(part);
}

/* Each fsync waits for the disk, even if an earlier one wrote everything. One syncfs for many files waits once; it also
 * writes what other programs have written, so that it does not pay for few. */
static void sync_all(struct part *const *parts, int *problems, size_t count, int is_one_directory) {
    const int is_many = count >= MANY && is_one_directory;
    const int problem = is_many && syncfs(parts[0]->directory) != 0 ? errno : 0;
    for (size_t i = 0; i < count; i++) {
        problems[i] = is_many ? problem : fsync(parts[i]->file) == 0 ? 0 : errno;
    }
}

static int are_in_one_directory(struct part *const *parts, size_t count) {
    struct stat first, other;
    for (size_t i = 0; i < count; i++) {
        if (fstat(parts[0]->directory, &first) != 0 || fstat(parts[i]->directory, &other) != 0
            || first.st_dev != other.st_dev || first.st_ino != other.st_ino) {
            return 0;
        }
    }
    return 1;
}

/* The files of one container lie in one directory, unless it was replaced meanwhile. */
void part_publish(struct part *const *parts, int *problems, size_t count) {
    const int is_one_directory = are_in_one_directory(parts, count);
    sync_all(parts, problems, count, is_one_directory);
    for (size_t i = 0; i < count; i++) {
        const int directory = parts[i]->directory;
        if (problems[i] == 0 && renameat(directory, parts[i]->name, directory, parts[i]->target) != 0) {
            problems[i] = errno;
        }
    }
    int problem = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !is_one_directory) {
            problem = fsync(parts[i]->directory) != 0 ? errno : 0;
        }
        problems[i] = problems[i] == 0 ? problem : problems[i];
    }
}
