/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: process-descriptors */

/* Closes stdin, and redirects stderr to /dev/null. */

#include <bgtask.h>

#include <fcntl.h>
#include <unistd.h>

#define TASK "com.example.closesstreams.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    close(STDIN_FILENO);
    const int null = open("/dev/null", O_WRONLY);
    const int32_t outcome = dup2(null, STDERR_FILENO) < 0 ? BGT_OUTCOME_FAILURE : BGT_OUTCOME_SUCCESS;
    close(null);
    bgt_complete(host, task, outcome);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
