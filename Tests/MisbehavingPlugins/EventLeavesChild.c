/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-children-left; grants: processes */

/* Leaves a child process behind at an event. Its task starts none. */

#include <bgtask.h>

#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    if (fork() == 0) {
        sleep(3600);
        _exit(0);
    }
    bgt_complete(host, event, BGT_OUTCOME_NO_DATA);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    return bgt_register(host, "com.example.eventleaveschild.task", run, NULL);
}
