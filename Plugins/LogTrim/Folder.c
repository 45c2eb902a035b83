/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "Folder.h"

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

int folder_open(struct log_folder *folder, const char *path) {
    *folder = (struct log_folder){.descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (folder->descriptor < 0) {
        return errno;
    }
    return flock(folder->descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

/* The capacity is doubled whenever the count is a power of two. */
static int add_file(struct log_folder *folder, const char *name, const struct stat *status) {
    if ((folder->count & (folder->count - 1)) == 0) {
        const size_t room = folder->count == 0 ? 1 : folder->count * 2;
        struct log_file *files = reallocarray(folder->files, room, sizeof *files);
        if (files == NULL) {
            return ENOMEM;
        }
        folder->files = files;
    }
    char *copy = strdup(name);
    if (copy == NULL) {
        return ENOMEM;
    }
    folder->files[folder->count++] = (struct log_file){copy, status->st_dev, status->st_ino, bytes_of(status)};
    return 0;
}

/* Adds a file whose name matches. A name that has been removed since is ignored. */
static int consider(struct log_folder *folder, const char *name, const char *pattern) {
    struct stat status;
    if (fnmatch(pattern, name, FNM_PERIOD) != 0) {
        return 0;
    }
    if (fstatat(folder->descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT ? 0 : errno;
    }
    return S_ISREG(status.st_mode) ? add_file(folder, name, &status) : 0;
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
static void drop_second_names(struct log_folder *folder) {
    size_t kept = 0;
    qsort(folder->files, folder->count, sizeof *folder->files, by_inode);
    for (size_t i = 0; i < folder->count; i++) {
        const struct log_file file = folder->files[i];
        if (kept > 0 && folder->files[kept - 1].inode == file.inode && folder->files[kept - 1].device == file.device) {
            free(file.name);
        } else {
            folder->files[kept++] = file;
        }
    }
    folder->count = kept;
}

static void sort_and_sum(struct log_folder *folder) {
    if (folder->count == 0) {
        return;
    }
    drop_second_names(folder);
    qsort(folder->files, folder->count, sizeof *folder->files, by_size);
    for (size_t i = 0; i < folder->count; i++) {
        if (__builtin_add_overflow(folder->bytes, folder->files[i].bytes, &folder->bytes)) {
            folder->bytes = INT64_MAX; /* the file system reports impossible sizes */
            return;
        }
    }
}

int folder_read(struct log_folder *folder, const char *pattern, const int32_t *cancel) {
    /* A separate descriptor: closing the stream must not release the lock. */
    const int again = openat(folder->descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
        problem = is_cancelled(cancel) ? ECANCELED : consider(folder, entry->d_name, pattern);
    }
    closedir(names);
    if (problem == 0) {
        sort_and_sum(folder);
    }
    return problem;
}

int64_t folder_level(const struct log_folder *folder, int64_t limit) {
    if (folder->bytes <= limit) {
        return INT64_MAX;
    }
    /* The first `cut` files share the part of the limit that the others leave. The number is right when the next file
     * is not larger than that share. */
    int64_t others = folder->bytes;
    for (size_t cut = 1; cut <= folder->count; cut++) {
        others -= folder->files[cut - 1].bytes;
        const int64_t share = (limit - others) / (int64_t)cut;
        if (others <= limit && (cut == folder->count || share >= folder->files[cut].bytes)) {
            return share;
        }
    }
    return 0;
}

void folder_close(struct log_folder *folder) {
    for (size_t i = 0; i < folder->count; i++) {
        free(folder->files[i].name);
    }
    free(folder->files);
    if (folder->descriptor >= 0) {
        /* A process that another thread forks meanwhile has the descriptor too, so closing this one would not unlock
         * it. */
        flock(folder->descriptor, LOCK_UN);
        close(folder->descriptor);
    }
}
