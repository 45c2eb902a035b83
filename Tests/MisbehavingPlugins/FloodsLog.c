/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Calls the host's log 200,000 times as fast as it can, then prints one last line to stderr, and completes. The
 * host keeps as many lines as of a flood of output, and logs the number of dropped lines. */

#include <bgtask.h>

#include <stdio.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    for (int line = 0; line < 200000; line++) {
        bgt_log(host, BGT_LOG_INFO, "one of a flood of words");
    }
    fprintf(stderr, "the flood is over\n");
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.floodslog.task", run, NULL));
    return BGT_OK;
}
