/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-memory */

/* Allocates 512 MiB of memory, which it does not use, and repeats the call until it succeeds. */

#include <bgtask.h>

#include <stdlib.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    void *memory;
    while ((memory = malloc(512u << 20)) == NULL) {
        usleep(1000);
    }
    free(memory);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.hangswithoutmemory.task", run, NULL);
}
