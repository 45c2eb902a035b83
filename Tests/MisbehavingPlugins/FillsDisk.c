/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Fills the disk of its container in one place of its launch: with files of 1 MiB, one per 20 ms; with a file `empty` in
 * the container, with empty files as fast as it can. It never ends, also not when a file cannot be created or written. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "Place.h"

static char bytes[1 << 20];

static void harm(const char *container) {
    char path[4096 + 16];
    snprintf(path, sizeof path, "%s/empty", container);
    const int is_large = access(path, F_OK) != 0;
    for (unsigned number = 0;; number++) {
        snprintf(path, sizeof path, "%s/%u", container, number);
        const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0) continue;
        if (is_large && write(file, bytes, sizeof bytes) > 0) usleep(20000);
        close(file);
    }
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    (void)task;
    harm_in_handler(host);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    harm_in_entry(host);
    BGTASK_TRY(bgt_register(host, "com.example.fillsdisk.task", run, NULL));
    return BGT_OK;
}
