/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Writes one file without end in one place of its launch, until a write fails. The size of the file and the errno of the
 * failed write go to `written.txt`, and the task completes with success. The limit of a file's size refuses the writes
 * beyond it. */

#include <bgtask.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "Place.h"

static char bytes[64 << 10];

static void harm(const char *container) {
    char path[4096 + 16];
    long long size = 0;
    snprintf(path, sizeof path, "%s/endless", container);
    const int endless = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ssize_t part;
    while ((part = write(endless, bytes, sizeof bytes)) > 0) size += part;
    const int error = errno;
    close(endless);
    unlink(path);

    snprintf(path, sizeof path, "%s/written.txt", container);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    dprintf(descriptor, "%lld %d\n", size, error);
    close(descriptor);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    harm_in_handler(host);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    harm_in_entry(host);
    BGTASK_TRY(bgt_register(host, "com.example.writeswithoutend.task", run, NULL));
    return BGT_OK;
}
