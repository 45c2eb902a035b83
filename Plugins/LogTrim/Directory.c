/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "Directory.h"

#include "Cancel.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { BYTES_IN_A_BLOCK = 512 /* of st_blocks, on every file system */ };

int64_t bytes_of(const struct stat *status) {
    const int64_t length = status->st_size;
    const int64_t taken = status->st_blocks > INT64_MAX / BYTES_IN_A_BLOCK ? INT64_MAX
                                                                           : status->st_blocks * BYTES_IN_A_BLOCK;
    return length < taken ? length : taken;
}

int directory_open(struct log_directory *directory, const char *path) {
    *directory = (struct log_directory){.descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (directory->descriptor < 0) {
        return errno;
    }
    return flock(directory->descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

/* The capacity is doubled whenever the count is a power of two. */
static int add_file(struct log_directory *directory, const char *name, const struct stat *status) {
    if ((directory->count & (directory->count - 1)) == 0) {
        const size_t room = directory->count == 0 ? 1 : directory->count * 2;
        struct log_file *files = reallocarray(directory->files, room, sizeof *files);
        if (files == NULL) {
            return ENOMEM;
        }
        directory->files = files;
    }
    char *copy = strdup(name);
    if (copy == NULL) {
        return ENOMEM;
    }
    directory->files[directory->count++] = (struct log_file){copy, status->st_dev, status->st_ino, bytes_of(status)};
    return 0;
}

/* Adds a file whose name matches. A name that has been removed since is ignored. */
static int consider(struct log_directory *directory, const char *name, const char *pattern) {
    struct stat status;
    if (fnmatch(pattern, name, FNM_PERIOD) != 0) {
        return 0;
    }
    if (fstatat(directory->descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? 0 : errno;
    }
    return S_ISREG(status.st_mode) ? add_file(directory, name, &status) : 0;
}

static int by_inode(const void *left, const void *right) {
    const struct log_file *a = left, *b = right;
    if (a->inode != b->inode) {
        return a->inode < b->inode ? -1 : 1;
    }
    if (a->device != b->device) {
        return a->device < b->device ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

static int by_size(const void *left, const void *right) {
    const struct log_file *a = left, *b = right;
    if (a->bytes != b->bytes) {
        return a->bytes > b->bytes ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

/* Keeps one of several names of a file. */
static void drop_second_names(struct log_directory *directory) {
    size_t kept = 0;
    qsort(directory->files, directory->count, sizeof *directory->files, by_inode);
    for (size_t i = 0; i < directory->count; i++) {
        const struct log_file file = directory->files[i];
        if (kept > 0 && directory->files[kept - 1].inode == file.inode
            && directory->files[kept - 1].device == file.device) {
            free(file.name);
        } else {
            directory->files[kept++] = file;
        }
    }
    directory->count = kept;
}

static void sort_and_sum(struct log_directory *directory) {
    if (directory->count == 0) {
        return;
    }
    drop_second_names(directory);
    qsort(directory->files, directory->count, sizeof *directory->files, by_size);
    for (size_t i = 0; i < directory->count; i++) {
        if (__builtin_add_overflow(directory->bytes, directory->files[i].bytes, &directory->bytes)) {
            directory->bytes = INT64_MAX; /* the file system reports impossible sizes */
            return;
        }
    }
}

int directory_read(struct log_directory *directory, const char *pattern, const int32_t *cancel) {
    /* A separate descriptor: closing the stream must not release the lock. */
    const int again = openat(directory->descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again < 0) {
        return errno;
    }
    DIR *names = fdopendir(again);
    if (names == NULL) {
        const int problem = errno;
        close(again);
        return problem;
    }
    int problem = 0;
    while (problem == 0) {
        errno = 0;
        const struct dirent *entry = readdir(names);
        if (entry == NULL) {
            problem = errno;
            break;
        }
        problem = is_cancelled(cancel) ? ECANCELED : consider(directory, entry->d_name, pattern);
    }
    closedir(names);
    if (problem == 0) {
        sort_and_sum(directory);
    }
    return problem;
}

int64_t directory_level(const struct log_directory *directory, int64_t limit) {
    if (directory->bytes <= limit) {
        return INT64_MAX;
    }
    /* The first `cut` files share the part of the limit that the others leave. The number is right when the next file
     * is not larger than that share. */
    int64_t others = directory->bytes;
    for (size_t cut = 1; cut <= directory->count; cut++) {
        others -= directory->files[cut - 1].bytes;
        const int64_t share = (limit - others) / (int64_t)cut;
        if (others <= limit && (cut == directory->count || share >= directory->files[cut].bytes)) {
            return share;
        }
    }
    return 0;
}

void directory_close(struct log_directory *directory) {
    for (size_t i = 0; i < directory->count; i++) {
        free(directory->files[i].name);
    }
    free(directory->files);
    if (directory->descriptor >= 0) {
        /* A process that another thread forks meanwhile has the descriptor too, so closing this one would not unlock
         * it. */
        flock(directory->descriptor, LOCK_UN);
        close(directory->descriptor);
    }
}
