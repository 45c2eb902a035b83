/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: submit-refused */

/* Repeats a refused submission a hundred times. */

#include <bgtask.h>

#define TASK "com.example.repeatssubmission.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const bgt_request next = bgt_processing_request(TASK, 0);
    for (int attempt = 0; attempt < 100 && bgt_submit(host, &next, NULL) != BGT_OK; attempt++) {
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
