/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Submits its own identifier again, due at once, before it completes: as often as the setting `times` (3 by
 * default). The remaining number is in the payload and is appended to `ran.txt`. The host accepts it, does not
 * count the running request, and spaces the launches. The setting `kind` is the kind of the requests: `refresh`, or
 * processing by default. */

#include <bgtask.h>

#include "Records.h"

#include <stdlib.h>
#include <string.h>

#define TASK "com.example.resubmits.task"

static uint8_t times_to_go(const bgt_host *host, const bgt_task_info *info) {
    char times[16] = "3";
    if (info->payload_length == 1) {
        return info->payload[0];
    }
    if (bgt_setting(host, "times", times, sizeof times, NULL) != BGT_OK) {
        return 3;
    }
    return (uint8_t)atoi(times);
}

static bgt_request request_of_kind(const bgt_host *host) {
    char kind[16] = "";
    if (bgt_setting(host, "kind", kind, sizeof kind, NULL) == BGT_OK && strcmp(kind, "refresh") == 0) {
        return bgt_refresh_request(TASK);
    }
    return bgt_processing_request(TASK, 0);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info;
    if (bgt_get_task_info(host, task, &info) != BGT_OK) {
        return;
    }
    const uint8_t left = times_to_go(host, &info);
    const uint8_t next = left > 0 ? (uint8_t)(left - 1) : 0;
    record(host, "ran.txt", "%u\n", left);
    bgt_request request = request_of_kind(host);
    request.payload = &next;
    request.payload_length = 1;
    const int32_t status = left > 0 ? bgt_submit(host, &request, NULL) : BGT_OK;
    bgt_complete(host, task, status == BGT_OK ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    return bgt_register(host, TASK, run, NULL);
}
