/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-children-left; grants: processes */

/* Its handler leaves a child behind, and a grandchild in a session of its own; both ignore SIGTERM and keep the
 * launch's stdout open. Their process ids go to `child.txt`, and it completes with success. At the end of the
 * launch the host kills both of them, without waiting for the end of their output. */

#include <bgtask.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void stay(void) {
    signal(SIGTERM, SIG_IGN);
    sleep(3600);
    _exit(0);
}

static void leave_child(int descriptor) {
    const pid_t child = fork();
    if (child == 0) {
        stay();
    }
    dprintf(descriptor, "%d\n", child);
}

/* A child forked by a process with threads may do little: all other work is done before the fork or outside. */
static void leave_grandchild(int descriptor) {
    const pid_t child = fork();
    if (child != 0) {
        (void)waitpid(child, NULL, 0);
        return;
    }
    setsid();
    const pid_t grandchild = fork();
    if (grandchild == 0) {
        stay();
    } else if (grandchild > 0) {
        dprintf(descriptor, "%d\n", grandchild);
    }
    _exit(0);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK) {
        strcat(path, "/child.txt");
        const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        leave_child(descriptor);
        leave_grandchild(descriptor);
        close(descriptor);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.leaveschild.task", run, NULL));
    return BGT_OK;
}
