/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: each of .refresh and .processing1 to .processing10 appends its identifier and submission number to
 * `ran.txt`, durably, before it completes with success. The acknowledged submissions can so be compared with the
 * runs after any number of crashes. Submits no requests. */

#include <bgtask.h>

#include "Records.h"
#include "RegistersLaunched.h"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_task_info info;
    if (bgt_get_task_info(host, task, &info) == BGT_OK) {
        record(host, "ran.txt", "%s %llu\n", info.identifier, (unsigned long long)info.submission);
        bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    return register_launched(host, run);
}
