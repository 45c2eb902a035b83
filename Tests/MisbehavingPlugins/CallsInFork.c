/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-forked-calls; grants: processes */

/* Forks, and completes its task in the child, which has no effect. Then it completes the task itself. */

#include <bgtask.h>

#include <sys/wait.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const pid_t child = fork();
    if (child == 0) {
        bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.callsinfork.task", run, NULL);
}
