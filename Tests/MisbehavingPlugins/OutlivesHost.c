/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its handler starts a daemon: a process with a session of its own and an empty environment, whose parent ends. The
 * process id goes to `child.txt`. The task does not complete, so that its launch runs when the host is killed. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void daemonize(const char *path) {
    char *const arguments[] = {"sleep", "3600", NULL};
    char *const environment[] = {NULL};
    setsid();
    if (fork() != 0) _exit(0);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    dprintf(descriptor, "%d\n", getpid());
    execve("/bin/sleep", arguments, environment);
    _exit(127);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    (void)task;
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) return;
    strcat(path, "/child.txt");
    const pid_t child = fork();
    if (child == 0) daemonize(path);
    (void)waitpid(child, NULL, 0);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, "com.example.outliveshost.task", run, NULL));
    return BGT_OK;
}
