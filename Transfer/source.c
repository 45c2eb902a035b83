/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "source.h"

#include "part.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void source_init(struct source *source) { *source = (struct source){.file = -1}; }

int source_open(struct source *source, int container, const char *path) {
    int directory = -1;
    const char *name = NULL;
    const int problem = part_open_directory(container, path, &directory, &name);
    if (problem != 0) {
        return problem;
    }
    /* Non-blocking, because the file may be a pipe. */
    source->file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    const int cause = errno;
    close(directory);
    if (source->file < 0) {
        return cause;
    }
    if (fstat(source->file, &source->status) != 0) {
        return errno;
    }
    /* A file of another user may be a hard link from outside of the container. */
    const int is_foreign = source->status.st_nlink > 1 && source->status.st_uid != geteuid();
    return S_ISREG(source->status.st_mode) && !is_foreign ? 0 : EINVAL;
}

static int is_same_time(struct timespec left, struct timespec right) {
    return left.tv_sec == right.tv_sec && left.tv_nsec == right.tv_nsec;
}

int source_has_changed(const struct source *source) {
    struct stat now;
    if (fstat(source->file, &now) != 0) {
        return 1;
    }
    return now.st_size != source->status.st_size || !is_same_time(now.st_mtim, source->status.st_mtim)
        || !is_same_time(now.st_ctim, source->status.st_ctim);
}

void source_close(struct source *source) {
    if (source->file >= 0) {
        close(source->file);
    }
    source_init(source);
}
