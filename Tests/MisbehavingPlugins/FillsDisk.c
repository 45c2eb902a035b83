/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its handler fills the disk of its container: `.large` with files of 1 MiB, one per 20 ms; `.empty` with empty files,
 * as fast as it can. Neither ends, also not when a file cannot be created or written. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char bytes[1 << 20];

static void fill(const bgt_host *host, int is_large) {
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) return;
    char *name = path + strlen(path);
    for (unsigned number = 0;; number++) {
        snprintf(name, 32, "/%u", number);
        const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0) continue;
        if (is_large && write(file, bytes, sizeof bytes) > 0) usleep(20000);
        close(file);
    }
}

static void fill_large(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    (void)task;
    fill(host, 1);
}

static void fill_empty(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    (void)task;
    fill(host, 0);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, "com.example.fillsdisk.large", fill_large, NULL));
    BGTASK_TRY(bgt_register(host, "com.example.fillsdisk.empty", fill_empty, NULL));
    return BGT_OK;
}
