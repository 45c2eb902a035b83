/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A push succeeds at once. Three tasks: `run` succeeds at once. `fail` writes a line and fails. `wait` succeeds when a file named `release` is in the container, and ends without
 * an outcome when it expires. */

#include <bgtask.h>

#include <string.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void fail(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_log_task(host, task, BGT_LOG_WARNING, "the feed answered 503");
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void wait_for_release(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) return;
    strcat(path, "/release");
    while (access(path, F_OK) != 0) {
        if (bgt_is_expiring(host, task)) return;
        usleep(10000);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_task_info info;
    const int is_push = bgt_get_task_info(host, event, &info) == BGT_OK && info.event == BGT_EVENT_PUSH;
    bgt_complete(host, event, is_push ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    BGTASK_TRY(bgt_register(host, "com.example.try.run", run, NULL));
    BGTASK_TRY(bgt_register(host, "com.example.try.fail", fail, NULL));
    BGTASK_TRY(bgt_register(host, "com.example.try.wait", wait_for_release, NULL));
    return BGT_OK;
}
