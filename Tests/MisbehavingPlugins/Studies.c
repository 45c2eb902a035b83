/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: .study writes its kind and its flags to `info.txt`, reads its container and waits for a file named
 * `release` there, then completes. At its expiration it writes the reason to `stopped.txt` and completes. With the
 * setting `submits` the event `started` submits .study as health research with these flags; the status goes to
 * `statuses.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STUDY "com.example.studies.study"

static void must_stop(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context;
    record(host, "stopped.txt", "%u\n", reason);
    bgt_complete(host, task, BGT_OUTCOME_FAILURE);
}

static void study(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info;
    bgt_get_task_info(host, task, &info);
    record(host, "info.txt", "%u 0x%x\n", info.kind, info.flags);
    bgt_set_expiration_handler(host, task, must_stop, NULL);
    bgt_log(host, BGT_LOG_INFO, "the study has begun");
    while (!bgt_is_expiring(host, task)) {
        if (is_released(host)) {
            bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
        }
        usleep(1000);
    }
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    char text[32];
    (void)context;
    if (bgt_setting(host, "submits", text, sizeof text, NULL) == BGT_OK) {
        const uint32_t flags = (uint32_t)strtoul(text, NULL, 0);
        const bgt_request request = bgt_health_research_request(STUDY, flags & ~BGTASK_PROTECTION_MASK,
                                                                flags & BGTASK_PROTECTION_MASK);
        bgt_refusal refusal = {0};
        const int32_t status = bgt_submit(host, &request, &refusal);
        record(host, "statuses.txt", "%s %u\n", bgt_status_name(host, status), refusal.sub_reason);
    }
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    return bgt_register(host, STUDY, study, NULL);
}
