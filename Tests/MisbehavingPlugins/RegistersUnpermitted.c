/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: register-permitted */

/* Registers .other, which its manifest must not permit. The status BGT_NOT_PERMITTED goes to `statuses.txt`, and
 * the journal has a line; .task runs all the same. */

#include <bgtask.h>

#include "Records.h"

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    const int32_t status = bgt_register(host, "com.example.registersunpermitted.other", succeed, NULL);
    record(host, "statuses.txt", "%s\n", bgt_status_name(host, status));
    return bgt_register(host, "com.example.registersunpermitted.task", succeed, NULL);
}
