/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * Appends one line per run to the file "runs" of its container, then completes the task with success:
 * submission, attempt, launch, start in nanoseconds since 1970, payload. */
#include <bgtask.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define IDENTIFIERS 80

static void append(void *context, const bgt_host *host, bgt_task task) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    (void)context;

    bgt_task_info info = {0};
    bgt_launch_info launch = {0};
    char path[4096];
    char line[512];
    uint64_t needed = 0;
    int written = 0;
    if (bgt_get_task_info(host, task, &info) == BGT_OK && bgt_get_launch_info(host, &launch) == BGT_OK
        && bgt_container_path(host, path, sizeof path - sizeof "/runs", &needed) == BGT_OK) {
        const int length = snprintf(line, sizeof line, "%llu %u %llu %lld %.*s\n", (unsigned long long)info.submission,
            info.attempt, (unsigned long long)launch.launch, (long long)now.tv_sec * 1000000000 + now.tv_nsec,
            (int)info.payload_length, (const char *)info.payload);
        const int file = open(strcat(path, "/runs"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        written = file >= 0 && write(file, line, (size_t)length) == length;
        if (file >= 0) close(file);
    }
    /* Every fourth run lasts 40 ms: many kills then interrupt a running handler. */
    if (info.submission % 4 == 0) usleep(40000);
    bgt_complete(host, task, written ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    bgt_launch_info launch = {0};
    char identifier[256];
    (void)plugin;
    BGTASK_TRY(bgt_get_launch_info(host, &launch));
    for (int number = 0; number < IDENTIFIERS; number++) {
        snprintf(identifier, sizeof identifier, "%s.t%d", launch.plugin, number);
        BGTASK_TRY(bgt_register(host, identifier, append, NULL));
    }
    return BGT_OK;
}
