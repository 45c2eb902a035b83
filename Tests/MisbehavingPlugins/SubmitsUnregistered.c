/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: submit-registered; tasks: task other */

/* Its handler submits .other, which is permitted but has no handler here. BGT_UNREGISTERED and the refusal's
 * message go to `statuses.txt`; no request becomes pending. */

#include <bgtask.h>

#include "Records.h"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const bgt_request request = bgt_processing_request("com.example.submitsunregistered.other", 0);
    bgt_refusal refusal = {0};
    const int32_t status = bgt_submit(host, &request, &refusal);
    record(host, "statuses.txt", "%s\n%s\n", bgt_status_name(host, status), refusal.text);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.submitsunregistered.task", run, NULL));
    return BGT_OK;
}
