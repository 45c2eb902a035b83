/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its constructor replaces its own file with another library, if one with the suffix `.next` is beside it. The
 * launch does not enter an unexamined library; the next launch runs the new one. Entry records its launch in
 * `entries.txt`. Finding the other library shows that it was loaded under its own name. */

#define _GNU_SOURCE /* dladdr */
#include <bgtask.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

__attribute__((constructor)) static void replace(void) {
    Dl_info own;
    char next[4096];
    if (dladdr((void *)(uintptr_t)replace, &own) != 0) {
        snprintf(next, sizeof next, "%s.next", own.dli_fname);
        (void)rename(next, own.dli_fname);
    }
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    bgt_launch_info launch;
    if (bgt_get_launch_info(host, &launch) == BGT_OK) {
        record(host, "entries.txt", "%llu\n", (unsigned long long)launch.launch);
    }
    BGTASK_TRY(bgt_register(host, "com.example.replacesitself.task", run, NULL));
    return BGT_OK;
}
