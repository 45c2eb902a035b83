/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: on the event `started` it submits .task, due at once, and appends `started STATUS` to `events.txt`;
 * .task appends `task`. After its installation it runs once, without a submission from outside. */

#include <bgtask.h>

#include "Records.h"

#define TASK "com.example.receivesstarted.task"

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_task_info info;
    if (bgt_get_task_info(host, event, &info) == BGT_OK && info.event == BGT_EVENT_STARTED) {
        const bgt_request request = bgt_processing_request(TASK, 0);
        const int32_t status = bgt_submit(host, &request, NULL);
        record(host, "events.txt", "started %s\n", bgt_status_name(host, status));
    }
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    record(host, "events.txt", "task\n");
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    return bgt_register(host, TASK, run, NULL);
}
