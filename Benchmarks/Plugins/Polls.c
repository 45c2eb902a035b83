/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * A continued task that measures two calls which plugins make in loops: nanoseconds of one call of is_expiring and of
 * one call of set_progress, the least mean of ten rounds, into `polls` of its container. */
#include <bgtask.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 10, CALLS = 1000000 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double least(const double *times) {
    double time = times[0];
    for (int round = 1; round < ROUNDS; round++) time = times[round] < time ? times[round] : time;
    return time / CALLS;
}

static void poll(void *context, const bgt_host *host, bgt_task task) {
    double expiring[ROUNDS], progress[ROUNDS];
    int64_t done = 0;
    int32_t stops = 0;
    (void)context;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        for (int call = 0; call < CALLS; call++) stops |= host->is_expiring(host, task);
        expiring[round] = now() - start;
        start = now();
        for (int call = 0; call < CALLS; call++) stops |= host->set_progress(host, task, ++done, ROUNDS * CALLS);
        progress[round] = now() - start;
    }
    char path[4096];
    uint64_t needed = 0;
    bgt_container_path(host, path, sizeof path - sizeof "/polls", &needed);
    FILE *const file = fopen(strcat(path, "/polls"), "w");
    if (file != NULL) {
        fprintf(file, "%.1f %.1f\n", least(expiring), least(progress));
        fclose(file);
    }
    bgt_complete(host, task, stops == 0 && file != NULL ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.polls.poll", poll, NULL);
}
