/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A notification service extension. The word after `do-` in the payload of an alert selects its answer: `change`
 * answers another title, `much` more than 4 KiB, `nothing` no content, `wrong` no JSON; `fail` fails after a change,
 * `crash` crashes after one, and `sleep` never completes. The statuses of the calls are appended to `answers.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <stdlib.h>
#include <string.h>

static int asks(const bgt_task_info *info, const char *word) {
    char text[BGTASK_PUSH_PAYLOAD_MAX + 1] = "";
    if (info->payload_length < sizeof text) {
        memcpy(text, info->payload, info->payload_length);
    }
    return strstr(text, word) != NULL;
}

static void answer(const bgt_host *host, bgt_task event, const char *json, uint64_t length) {
    const int32_t status = bgt_set_notification_content(host, event, json, length);
    record(host, "answers.txt", "%s\n", bgt_status_name(host, status));
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    static const char changed[] = "{\"title\":\"Changed\",\"body\":\"by the extension\"}";
    static char much[BGTASK_NOTIFICATION_MAX + 1];
    bgt_task_info info;
    if (bgt_get_task_info(host, event, &info) != BGT_OK) {
        abort();
    }
    if (info.event != BGT_EVENT_NOTIFICATION) {
        answer(host, event, changed, sizeof changed - 1);
        bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
        return;
    }
    if (asks(&info, "do-much")) {
        memset(much, 'a', sizeof much);
        answer(host, event, much, sizeof much);
    } else if (asks(&info, "do-wrong")) {
        answer(host, event, "changed", 7);
    } else if (!asks(&info, "do-nothing")) {
        answer(host, event, changed, sizeof changed - 1);
    }
    if (asks(&info, "do-crash")) {
        abort();
    }
    if (!asks(&info, "do-sleep")) {
        bgt_complete(host, event, asks(&info, "do-fail") ? BGT_OUTCOME_FAILURE : BGT_OUTCOME_SUCCESS);
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)host;
    plugin->receive = receive;
    return BGT_OK;
}
