/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Prints 200,000 lines as fast as it can, then one last line to stderr, and completes. The host logs a limited
 * number of lines and the number of dropped lines, and stays responsive. */

#include <bgtask.h>

#include <stdio.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    for (int line = 0; line < 200000; line++) {
        printf("line %d of a flood\n", line);
    }
    fprintf(stderr, "the flood is over\n");
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.floodsoutput.task", run, NULL));
    return BGT_OK;
}
