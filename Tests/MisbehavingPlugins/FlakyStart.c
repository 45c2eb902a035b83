/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: starts-repeatedly */

/* Counts its launches in a file of the container, and its entry fails at the fifth. */

#include <bgtask.h>

#include "Records.h"

#include <sys/stat.h>

#define TASK "com.example.flakystart.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    char path[4096];
    struct stat status;
    record(host, "launches.txt", "launch\n");
    BGTASK_TRY(bgt_container_path(host, path, sizeof path - 32, NULL));
    if (stat(strcat(path, "/launches.txt"), &status) != 0 || status.st_size == 5 * 7) {
        return -5;
    }
    return bgt_register(host, TASK, run, NULL);
}
