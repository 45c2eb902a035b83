/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-disk */

/* Writes a file of its container, and dies of SIGABRT when the file cannot be written. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 16, NULL) != BGT_OK) {
        bgt_complete(host, task, BGT_OUTCOME_FAILURE);
        return;
    }
    strcat(path, "/state");
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, "done\n", 5) != 5) {
        abort();
    }
    close(file);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.crashwithoutdisk.task", run, NULL);
}
