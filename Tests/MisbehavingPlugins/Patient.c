/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: .one, .two and .three log that they run, wait for a file named `release` in the container, and
 * complete with success; or with failure when they expire. The test that creates the file decides the length of a
 * launch. */

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
    char line[512];
    snprintf(line, sizeof line, "patient runs %s", info.identifier);
    bgt_log(host, BGT_LOG_INFO, line);
    while (access(path, F_OK) != 0 && !bgt_is_expiring(host, task)) {
        usleep(1000);
    }
    bgt_complete(host, task, bgt_is_expiring(host, task) ? BGT_OUTCOME_FAILURE : BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    return register_launched(host, run);
}
