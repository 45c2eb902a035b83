/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* .one and .three succeed, .two always dies of SIGSEGV. In a launch with .two, the others wait for the crash, so
 * that they are unfinished when it happens: the host charges .two alone and relaunches the others one per launch,
 * uncharged and at once. Each task that succeeds appends its identifier, attempt and launch to `ran.txt`. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The address is volatile, so that no compiler detects the null access. */
static void crash(void) {
    volatile uintptr_t nowhere = 0;
    *(volatile int *)nowhere = 1;
}

static void record(const bgt_host *host, const char *file, const char *format, ...) {
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) {
        return;
    }
    strcat(strcat(path, "/"), file);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    va_list arguments;
    va_start(arguments, format);
    vdprintf(descriptor, format, arguments);
    va_end(arguments);
    fsync(descriptor);
    close(descriptor);
}

#define NAME "com.example.crashinoneofthree"

static int is_with_two(const bgt_launch_info *launch) {
    for (uint64_t index = 0; index < launch->identifier_count; index++) {
        if (strcmp(launch->identifiers[index], NAME ".two") == 0) {
            return 1;
        }
    }
    return 0;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_launch_info launch;
    bgt_task_info info;
    if (bgt_get_launch_info(host, &launch) != BGT_OK || bgt_get_task_info(host, task, &info) != BGT_OK) {
        return;
    }
    if (strcmp(info.identifier, NAME ".two") == 0) {
        crash();
    }
    while (is_with_two(&launch) && !bgt_is_expiring(host, task)) {
        usleep(1000);
    }
    record(host, "ran.txt", "%s %u %llu\n", info.identifier, info.attempt, (unsigned long long)launch.launch);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, NAME ".one", run, NULL));
    BGTASK_TRY(bgt_register(host, NAME ".two", run, NULL));
    BGTASK_TRY(bgt_register(host, NAME ".three", run, NULL));
    return BGT_OK;
}
