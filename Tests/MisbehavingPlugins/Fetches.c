/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Legacy fetch: entry sets the interval of the setting `interval`, in seconds or `never`, and each event `fetch`
 * appends a line to `fetched.txt` and completes without new data. Statuses go to `statuses.txt`. With the setting
 * `flood` entry first sets a hundred thousand other intervals. Permitted identifiers get no handler. */

#include <bgtask.h>

#include "Records.h"

#include <stdlib.h>
#include <string.h>

static void set(const bgt_host *host, const char *text) {
    const uint64_t seconds = strcmp(text, "never") == 0 ? UINT64_MAX : strtoull(text, NULL, 10);
    record(host, "statuses.txt", "%s\n", bgt_status_name(host, bgt_set_minimum_fetch_interval(host, seconds)));
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_task_info info;
    const int32_t status = bgt_get_task_info(host, event, &info);
    if (status == BGT_OK && info.event == BGT_EVENT_FETCH) {
        record(host, "fetched.txt", "%s\n", info.identifier);
    }
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    char text[32];
    plugin->receive = receive;
    if (bgt_setting(host, "flood", text, sizeof text, NULL) == BGT_OK) {
        for (uint64_t seconds = 1; seconds <= 100000; seconds++) {
            BGTASK_TRY(bgt_set_minimum_fetch_interval(host, seconds));
        }
    }
    if (bgt_setting(host, "interval", text, sizeof text, NULL) == BGT_OK) {
        set(host, text);
    }
    return BGT_OK;
}
