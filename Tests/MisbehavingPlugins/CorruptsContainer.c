/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: container-shared */

/* Keeps a file in the container while it works for 200 ms, and dies of SIGABRT when another process has it. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) {
        return;
    }
    const int file = open(strcat(path, "/working"), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) {
        abort();
    }
    for (int step = 0; step < 40 && !bgt_is_expiring(host, task); step++) {
        usleep(5000);
    }
    unlink(path);
    close(file);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.corruptscontainer.task", run, NULL);
}
