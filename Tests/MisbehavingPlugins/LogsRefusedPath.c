/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Opens a file that no grant permits, logs the error, and completes its task as failed. */

#include <bgtask.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const int file = open("/root/.profile", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        close(file);
    } else {
        bgt_log_task(host, task, BGT_LOG_ERROR, strerror(errno));
    }
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.logsrefusedpath.task", run, NULL);
}
