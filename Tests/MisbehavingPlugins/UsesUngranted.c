/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* warns: grants-suffice */

/* Opens a socket without the grant `network`, and completes its task when that is refused. */

#include <bgtask.h>

#include <sys/socket.h>
#include <unistd.h>

#define TASK "com.example.usesungranted.task"

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (descriptor >= 0) {
        close(descriptor);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, TASK, run, NULL);
}
