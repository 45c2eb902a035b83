/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: thread-kept */

/* Completes its task, and then ends the handler's thread instead of returning. A process that has ended its thread in a
 * callback has one callback fewer, not two: `stop` runs, and writes `stopped.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <pthread.h>
#include <stdatomic.h>

static char directory[4096];
static atomic_int has_run;

static void stop(void *context, const bgt_host *host) {
    (void)context, (void)host;
    if (atomic_load(&has_run)) {
        record_in(directory, "stopped.txt", "stopped\n");
    }
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    atomic_store(&has_run, 1);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    pthread_exit(NULL);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_container_path(host, directory, sizeof directory, NULL));
    plugin->stop = stop;
    return bgt_register(host, "com.example.exitsthread.task", run, NULL);
}
