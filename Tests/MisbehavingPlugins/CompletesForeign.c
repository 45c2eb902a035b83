/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: completes-own */

/* Completes tasks of others, by invented numbers. Each call returns BGT_NO_SUCH_TASK, into `statuses.txt`, without
 * effect; its own task then succeeds. */

#include <bgtask.h>

#include "Records.h"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const bgt_task foreign[] = {0, task ^ 0x8000000000000000, task + 0x100000, ~task};
    for (size_t index = 0; index < sizeof foreign / sizeof foreign[0]; index++) {
        const int32_t status = bgt_complete(host, foreign[index], BGT_OUTCOME_FAILURE);
        record(host, "statuses.txt", "%s\n", bgt_status_name(host, status));
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.completesforeign.task", run, NULL));
    return BGT_OK;
}
