/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its handler starts threads without end, until the system refuses one. The number of started threads and the errno of
 * the refusal go to `threads.txt`, and the task completes with success. The limit of processes of a launch refuses the
 * threads beyond it. */

#include <bgtask.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4000 };

static void *wait_for_end(void *context) {
    for (;;) {
        pause();
    }
    return context;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[4096];
    int started = 0;
    int error = 0;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    while (error == 0 && started < MOST) {
        pthread_t thread;
        error = pthread_create(&thread, &small, wait_for_end, NULL);
        started += error == 0;
    }
    if (bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK) {
        strcat(path, "/threads.txt");
        const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        dprintf(descriptor, "%d %d\n", started, error);
        close(descriptor);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.startsthreads.task", run, NULL));
    return BGT_OK;
}
