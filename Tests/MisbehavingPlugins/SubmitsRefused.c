/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its .task makes submissions that cannot be accepted: an identifier that the manifest must not permit, then a
 * refresh request for .two beside .one's, which is pending while .task runs. Without mode fetch in the manifest
 * .one is refused as well. Each status and sub-reason goes to `statuses.txt`. */

#include <bgtask.h>

#include "Records.h"

#define NAME "com.example.submitsrefused"

static void submit(const bgt_host *host, const char *what, bgt_request request) {
    bgt_refusal refusal = {0};
    const int32_t status = bgt_submit(host, &request, &refusal);
    record(host, "statuses.txt", "%s: %s %u %s\n", what, bgt_status_name(host, status), refusal.sub_reason,
           refusal.text[0] != '\0' ? "with words" : "without words");
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    submit(host, "not permitted", bgt_processing_request(NAME ".other", 0));
    submit(host, "one refresh", bgt_refresh_request(NAME ".one"));
    submit(host, "another refresh", bgt_refresh_request(NAME ".two"));
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, NAME ".task", run, NULL));
    BGTASK_TRY(bgt_register(host, NAME ".one", succeed, NULL));
    return bgt_register(host, NAME ".two", succeed, NULL);
}
