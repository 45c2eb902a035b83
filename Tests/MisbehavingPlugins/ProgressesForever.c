/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: completes; tasks: export.* */

/* A continued task that reports rising progress without end, and ignores its expiration. */

#include <bgtask.h>

#include "RegistersLaunched.h"

#include <unistd.h>

static void progress(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    for (int64_t done = 1;; done++) {
        bgt_set_progress(host, task, done, INT64_MAX);
        usleep(5000);
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) { return register_launched(host, progress); }
