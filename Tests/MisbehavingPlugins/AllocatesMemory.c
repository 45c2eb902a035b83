/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Starts in one place of its launch a child that allocates memory without end, and waits for the child. The process ids
 * of both go to `memory.txt`. A limit of the launch's memory kills both. Without a limit the child ends at 160 MiB, and
 * the task completes with success. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "Place.h"

enum { MOST = 160 };

static void allocate(void) {
    for (int part = 0; part < MOST; part++) {
        char *const memory = malloc(1 << 20);
        if (memory != NULL) memset(memory, 1, 1 << 20);
    }
}

static void harm(const char *container) {
    char path[4096 + 16];
    snprintf(path, sizeof path, "%s/memory.txt", container);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const pid_t child = fork();
    if (child == 0) {
        allocate();
        _exit(0);
    }
    dprintf(descriptor, "%d\n%d\n", getpid(), child);
    close(descriptor);
    /* A killed child alone would be a success: the task shows whether its own process is killed as well. */
    (void)waitpid(child, NULL, 0);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    harm_in_handler(host);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    harm_in_entry(host);
    BGTASK_TRY(bgt_register(host, "com.example.allocatesmemory.task", run, NULL));
    return BGT_OK;
}
