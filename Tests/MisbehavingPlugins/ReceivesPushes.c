/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Appends kind, event, identifier, length and a short payload of each push to `pushes.txt`. It completes a push with
 * the payload `fail` as a failure, one without a payload without new data, and any other as a success. The payload
 * `crash` crashes at the first attempt, `register` appends the device token to `tokens.txt`, and `unregister` ends
 * it. */

#include <bgtask.h>

#include "Records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void register_for_pushes(const bgt_host *host) {
    uint8_t token[BGTASK_PUSH_TOKEN_MAX];
    uint64_t length = 0;
    char digits[2 * BGTASK_PUSH_TOKEN_MAX + 1] = "";
    const int32_t short_status = bgt_register_for_pushes(host, token, 1, &length);
    const int32_t status = bgt_register_for_pushes(host, token, sizeof token, &length);
    for (uint64_t index = 0; status == BGT_OK && index < length; index++) {
        snprintf(digits + 2 * index, 3, "%02x", token[index]);
    }
    record(host, "tokens.txt", "%s %s %s\n", bgt_status_name(host, short_status), bgt_status_name(host, status),
           digits);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_task_info info;
    if (bgt_get_task_info(host, event, &info) != BGT_OK) {
        abort();
    }
    if (info.event != BGT_EVENT_PUSH) {
        bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
        return;
    }
    char text[32] = "";
    if (info.payload_length > 0 && info.payload_length < sizeof text) {
        memcpy(text, info.payload, info.payload_length);
    }
    record(host, "pushes.txt", "%u %u %s %llu %s\n", info.kind, info.event, info.identifier,
           (unsigned long long)info.payload_length, text);
    if (strcmp(text, "register") == 0) {
        register_for_pushes(host);
    }
    if (strcmp(text, "unregister") == 0) {
        record(host, "tokens.txt", "%s\n", bgt_status_name(host, bgt_unregister_for_pushes(host)));
    }
    if (strcmp(text, "crash") == 0 && info.attempt == 1) {
        abort();
    }
    const int32_t outcome = info.payload_length == 0      ? BGT_OUTCOME_NO_DATA
                            : strcmp(text, "fail") == 0 ? BGT_OUTCOME_FAILURE
                                                        : BGT_OUTCOME_SUCCESS;
    bgt_complete(host, event, outcome);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)host;
    plugin->receive = receive;
    return BGT_OK;
}
