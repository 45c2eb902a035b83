/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Forks. The child calls the host, and writes the results to `child.txt`; each call must have no effect. Then starts a
 * shell that sends itself SIGPIPE, and writes the signal that ended it to `pipe.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <signal.h>
#include <sys/wait.h>

/* Requested in entry: in a forked process the host answers no calls. */
static char directory[4096];

static void call(const bgt_host *host, bgt_task task) {
    bgt_request request = bgt_processing_request("com.example.forksandcalls.task", 0);
    const int32_t completed = bgt_complete(host, task, BGT_OUTCOME_FAILURE);
    const int32_t submitted = bgt_submit(host, &request, NULL);
    const int32_t expiring = bgt_is_expiring(host, task);
    bgt_log(host, BGT_LOG_INFO, "a line of a forked process");
    record_in(directory, "child.txt", "%s %s %d %llu\n", bgt_status_name(host, completed),
              bgt_status_name(host, submitted), expiring, (unsigned long long)bgt_remaining(host));
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    int status = 0;
    (void)context;
    pid_t child = fork();
    if (child == 0) {
        call(host, task);
        _exit(0);
    }
    waitpid(child, &status, 0);
    child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "kill -s PIPE $$; sleep 0", NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    record_in(directory, "pipe.txt", "%s\n", WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE ? "ended" : "ignored");
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_container_path(host, directory, sizeof directory, NULL));
    return bgt_register(host, "com.example.forksandcalls.task", run, NULL);
}
