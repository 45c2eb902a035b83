/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Included before one of the plugins here, it makes each task of that plugin linger after its work: it logs that,
 * waits for a file named `let-go` in the container, and only then completes the task. The effects of the plugin
 * stand meanwhile. The event `started` does not linger. */

#include <bgtask.h>

#include <string.h>
#include <unistd.h>

static int32_t complete_when_let_go(const bgt_host *host, bgt_task task, int32_t outcome) {
    char path[4096];
    bgt_task_info info;
    /* A task of another launch has no reason to wait. */
    if (bgt_get_task_info(host, task, &info) == BGT_OK && info.event != BGT_EVENT_STARTED &&
        bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK) {
        strcat(path, "/let-go");
        bgt_log(host, BGT_LOG_INFO, "the task lingers");
        while (access(path, F_OK) != 0 && !bgt_is_expiring(host, task)) {
            usleep(1000);
        }
    }
    return bgt_complete(host, task, outcome);
}

#define bgt_complete(host, task, outcome) complete_when_let_go(host, task, outcome)
