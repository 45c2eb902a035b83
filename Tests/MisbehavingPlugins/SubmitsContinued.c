/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its .task, and the event `started` with the setting `when`, submits the continued .export.1, which a pattern's
 * handler runs in this same process, and completes; status and sub-reason go to `statuses.txt`, an expiration of
 * .task to `expired.txt`. With the setting `lingers` .task first waits for its own expiration. The continued task
 * keeps reporting a little more progress until a file named `release` is in the container; then it writes the
 * remainder of the launch's budget to `outlived.txt`, and completes. At its expiration it writes the reason to
 * `stopped.txt` and completes. */

#include <bgtask.h>

#include "Records.h"

#include <string.h>
#include <unistd.h>

static int says(const bgt_host *host, const char *key, const char *value) {
    char text[32];
    return bgt_setting(host, key, text, sizeof text, NULL) == BGT_OK && strcmp(text, value) == 0;
}

static void export_photos(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info;
    bgt_get_task_info(host, task, &info);
    record(host, "info.txt", "%s \"%s\" \"%s\" %.*s\n", info.identifier, info.title,
           info.subtitle ? info.subtitle : "none", (int)info.payload_length, (const char *)info.payload);
    bgt_log(host, BGT_LOG_INFO, "the continued task has begun");
    int64_t done = 0;
    while (!is_released(host) && !bgt_is_expiring(host, task)) {
        bgt_set_progress(host, task, ++done, 1000000);
        usleep(1000);
    }
    if (bgt_is_expiring(host, task)) {
        bgt_get_task_info(host, task, &info);
        record(host, "stopped.txt", "%u\n", info.expiration_reason);
        bgt_complete(host, task, BGT_OUTCOME_FAILURE);
        return;
    }
    record(host, "outlived.txt", "%s\n", bgt_remaining(host) == 0 ? "the budget" : "nothing");
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void submit(const bgt_host *host) {
    bgt_request request = bgt_continued_request("com.example.submitscontinued.export.1", "Exporting", "from a handler");
    request.payload = (const uint8_t *)"album 7";
    request.payload_length = 7;
    bgt_refusal refusal = {0};
    const int32_t status = bgt_submit(host, &request, &refusal);
    record(host, "statuses.txt", "%s %u\n", bgt_status_name(host, status), refusal.sub_reason);
}

static void expired(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context;
    record(host, "expired.txt", "%u\n", reason);
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    submit(host);
    if (says(host, "lingers", "yes")) {
        bgt_set_expiration_handler(host, task, expired, NULL);
    } else {
        bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    }
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    bgt_task_info info;
    if (bgt_get_task_info(host, event, &info) == BGT_OK && info.event == BGT_EVENT_STARTED &&
        !says(host, "when", "started")) {
        bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
        return;
    }
    run(context, host, event);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    BGTASK_TRY(bgt_register(host, "com.example.submitscontinued.task", run, NULL));
    return bgt_register(host, "com.example.submitscontinued.export.*", export_photos, NULL);
}
