/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: payload-random */

/* Uses the first bytes of its payload as an index, without a check. */

#include <bgtask.h>

#include <string.h>

#define TASK "com.example.trustspayload.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    static const char texts[4][8] = {"zero", "one", "two", "three"};
    bgt_task_info info = {.size = sizeof info};
    if (bgt_get_task_info(host, task, &info) == BGT_OK && info.payload_length >= 8) {
        uint64_t index;
        memcpy(&index, info.payload, sizeof index);
        bgt_log(host, BGT_LOG_INFO, *(texts + index));
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
