/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Four threads of its handler make a system call that the sandbox refuses, five thousand times each. The number of
 * refusals goes to `refused.txt`, and the task completes with success. */

#include <bgtask.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 5000 };

static void *repeat(void *refused) {
    int *count = refused;
    for (int call = 0; call < CALLS; call++) {
        const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
        if (descriptor >= 0) {
            close(descriptor);
        } else if (errno == EPERM) {
            ++*count;
        }
    }
    return NULL;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    pthread_t threads[THREADS];
    int refused[THREADS] = {0}, sum = 0;
    for (int index = 0; index < THREADS; index++) {
        if (pthread_create(&threads[index], NULL, repeat, &refused[index]) != 0) {
            bgt_complete(host, task, BGT_OUTCOME_FAILURE);
            return;
        }
    }
    for (int index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
        sum += refused[index];
    }
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK) {
        strcat(path, "/refused.txt");
        FILE *file = fopen(path, "w");
        if (file != NULL) {
            fprintf(file, "%d\n", sum);
            fclose(file);
        }
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, "com.example.repeatsrefusedcall.task", run, NULL));
    return BGT_OK;
}
