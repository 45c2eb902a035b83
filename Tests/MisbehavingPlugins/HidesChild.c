/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its handler leaves a process that removes every mark of its launch: it starts a session of its own, lowers the
 * resource limit that carries the mark, clears its environment, and loses its parent. Its process id goes to
 * `child.txt`, and the task completes with success. At the end of the launch the host kills it all the same. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void hide(int descriptor) {
    const struct rlimit none = {1000, 1000};
    char *const arguments[] = {"sleep", "3600", NULL};
    char *const environment[] = {NULL};
    setsid();
    if (fork() != 0) {
        _exit(0);
    }
    dprintf(descriptor, "%d\n", getpid());
    /* From here on the end of any launch may end this process. */
    setrlimit(RLIMIT_RTTIME, &none);
    execve("/bin/sleep", arguments, environment);
    _exit(127);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK) {
        strcat(path, "/child.txt");
        const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        int executing[2] = {-1, -1};
        if (pipe(executing) == 0) {
            (void)fcntl(executing[0], F_SETFD, FD_CLOEXEC);
            (void)fcntl(executing[1], F_SETFD, FD_CLOEXEC);
        }
        const pid_t child = fork();
        if (child == 0) {
            hide(descriptor);
        }
        (void)waitpid(child, NULL, 0);
        /* The pipe ends when the process executes its program. */
        char byte;
        close(executing[1]);
        while (read(executing[0], &byte, 1) > 0) {
        }
        close(executing[0]);
        close(descriptor);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.hideschild.task", run, NULL));
    return BGT_OK;
}
