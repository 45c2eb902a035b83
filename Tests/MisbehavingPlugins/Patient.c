/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: .one, .two and .three, those that are permitted, say in the host's log that they run, wait for a file
 * named `release` in the container, and complete with success; or with failure once they are told to stop. Whoever
 * makes that file decides how long a launch lasts. */

#include <bgtask.h>

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

static int32_t register_if_permitted(const bgt_host *host, const char *identifier) {
    const int32_t status = bgt_register(host, identifier, run, NULL);
    return status == BGT_NOT_PERMITTED ? BGT_OK : status;
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(register_if_permitted(host, "com.example.patient.one"));
    BGTASK_TRY(register_if_permitted(host, "com.example.patient.two"));
    return register_if_permitted(host, "com.example.patient.three");
}
