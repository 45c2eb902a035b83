/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: each task writes a line to stdout, one to stderr, a log line about the launch and one about itself,
 * waits for a file named `release` in the container, writes a last line and completes with success; or with failure
 * when it expires. */

#include <bgtask.h>

#include "RegistersLaunched.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[4096];
    bgt_task_info info;
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK ||
        bgt_get_task_info(host, task, &info) != BGT_OK) {
        return;
    }
    strcat(path, "/release");
    printf("to stdout\n");
    fflush(stdout);
    fprintf(stderr, "to stderr \033[2J\n");
    bgt_log(host, BGT_LOG_INFO, "of the launch");
    char line[512];
    snprintf(line, sizeof line, "of the task %s", info.identifier);
    bgt_log_task(host, task, BGT_LOG_WARNING, line);
    while (access(path, F_OK) != 0 && !bgt_is_expiring(host, task)) {
        usleep(1000);
    }
    bgt_log_task(host, task, BGT_LOG_ERROR, "the last line");
    bgt_complete(host, task, bgt_is_expiring(host, task) ? BGT_OUTCOME_FAILURE : BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    return register_launched(host, run);
}
