/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-forked-calls; grants: processes */

/* Forks at an event, and calls the host in the child. Its task does not fork. */

#include <bgtask.h>

#include <sys/wait.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    const pid_t child = fork();
    if (child == 0) {
        bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    return bgt_register(host, "com.example.eventcallsinfork.task", run, NULL);
}
