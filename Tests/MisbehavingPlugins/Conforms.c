/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* passes; tasks: refresh clean export.*; settings: greeting=hello */

/* Keeps every rule: .refresh and .clean work until they are done or expire, .export.* reports its progress, and the event
 * `started` submits the first request. */

#include <bgtask.h>

#include <unistd.h>

#define NAME "com.example.conforms"

static void submit_next(const bgt_host *host, int64_t seconds) {
    bgt_request next = bgt_refresh_request(NAME ".refresh");
    bgt_refusal refusal;
    next.earliest_begin_ns = bgt_seconds_from_now(seconds);
    if (bgt_submit(host, &next, &refusal) != BGT_OK) {
        bgt_log(host, BGT_LOG_WARNING, refusal.text);
    }
}

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)reason;
    bgt_complete_with_message(host, task, BGT_OUTCOME_FAILURE, "expired");
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char greeting[64] = "";
    (void)bgt_set_expiration_handler(host, task, expire, NULL);
    submit_next(host, 3600);
    if (bgt_setting(host, "greeting", greeting, sizeof greeting, NULL) == BGT_OK) {
        bgt_log_task(host, task, BGT_LOG_INFO, greeting);
    }
    for (int step = 0; step < 10 && !bgt_is_expiring(host, task); step++) {
        usleep(2000);
    }
    /* No violation after an expiration, whose handler has completed the task. */
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void export(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    for (int64_t page = 0; page <= 10; page++) {
        if (bgt_is_expiring(host, task)) {
            bgt_complete(host, task, BGT_OUTCOME_FAILURE);
            return;
        }
        bgt_set_progress(host, task, page, 10);
        usleep(2000);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_task_info info;
    if (bgt_get_task_info(host, event, &info) == BGT_OK && info.event == BGT_EVENT_STARTED) {
        submit_next(host, 0);
    }
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    BGTASK_TRY(bgt_register(host, NAME ".refresh", run, NULL));
    BGTASK_TRY(bgt_register(host, NAME ".clean", run, NULL));
    return bgt_register(host, NAME ".export.*", export, NULL);
}
