/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Asks the host in entry for features, names and itself, and writes the answers to `answers.txt`. */

#include <bgtask.h>

#include "Records.h"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_log_task(host, task, BGT_LOG_INFO, "a line about the task");
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    bgt_launch_info info;
    bgt_refusal refusal = {.size = sizeof refusal};
    const bgt_legacy_fetch *fetch = bgt_query(host, BGTASK_LEGACY_FETCH);
    BGTASK_TRY(bgt_get_launch_info(host, &info));
    record(host, "answers.txt", "%s %d\n", info.host_name, info.host_version[0] != 0);
    record(host, "answers.txt", "%d %d %d\n", bgt_query(host, "bgtask.unknown/1") == NULL,
           bgt_query(host, NULL) == NULL, bgt_query(host, "bgtask.legacy-fetch/2") == NULL);
    record(host, "answers.txt", "%d %d %d\n", fetch != NULL && BGTASK_HAS(fetch, set_minimum_interval),
           BGTASK_HAS(host, query), BGTASK_HAS(plugin, quiet_ns));
    record(host, "answers.txt", "%s %s %s\n", bgt_name(host, BGT_VOCABULARY_EXPIRED, BGT_EXPIRED_NETWORK_LOST),
           bgt_name(host, BGT_VOCABULARY_KIND, 77), bgt_name(host, 99, 0));
    record(host, "answers.txt", "%s %s\n",
           bgt_status_name(host, fetch->set_minimum_interval(host, 60, &refusal)), refusal.text);
    const int32_t status = bgt_register_or_explain(host, "com.example.other.task", run, NULL, NULL, &refusal);
    record(host, "answers.txt", "%s %s\n", bgt_status_name(host, status), refusal.text);
    return bgt_register(host, "com.example.asksfeatures.task", run, NULL);
}
