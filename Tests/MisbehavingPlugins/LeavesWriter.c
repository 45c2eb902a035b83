/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its handler leaves a child behind that ignores SIGTERM and writes to an open file of the container until it is killed.
 * The handler itself does not return. */

#include <bgtask.h>

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void write_on(int descriptor) {
    signal(SIGTERM, SIG_IGN);
    for (;;) {
        if (pwrite(descriptor, "x", 1, 0) != 1) _exit(1);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    (void)task;
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) return;
    strcat(path, "/written.txt");
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fork() == 0) write_on(descriptor);
    for (;;) pause();
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.leaveswriter.task", run, NULL));
    return BGT_OK;
}
