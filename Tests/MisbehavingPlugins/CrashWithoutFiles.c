/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-descriptors */

/* Opens 64 files, and dies of SIGABRT when one cannot be opened. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define TASK "com.example.crashwithoutfiles.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    int files[64];
    for (int index = 0; index < 64; index++) {
        files[index] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (files[index] < 0) {
            abort();
        }
    }
    for (int index = 0; index < 64; index++) {
        close(files[index]);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
