/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: relaunch-fresh */

/* Registers its handler only in the first process of its life, as if the host remembered it: from then on its
 * container has a file `registered`. In the second process the task has no handler. */

#include <bgtask.h>

#include "Records.h"

#include <string.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    char path[4096];
    BGTASK_TRY(bgt_container_path(host, path, sizeof path - 32, NULL));
    if (access(strcat(path, "/registered"), F_OK) != 0) {
        BGTASK_TRY(bgt_register(host, "com.example.registersonce.task", run, NULL));
        record(host, "registered", "\n");
    }
    return BGT_OK;
}
