/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_SOURCE_H
#define TRANSFER_SOURCE_H

#include <sys/stat.h>
#include <stdint.h>

/* The file of an upload, as it was when it was opened. */
struct source {
    int file; /* -1: not open */
    int64_t position;
    struct stat status;
};

void source_init(struct source *source);
/* Opens a regular file of the container without following links. Returns 0 or an errno; EINVAL: no regular file. */
int source_open(struct source *source, int container, const char *path);
/* Whether size, times or identity differ from those at the opening. */
int source_has_changed(const struct source *source);
void source_close(struct source *source);

#endif
