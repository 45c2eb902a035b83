/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its constructor replaces its own file with another library, if one with the suffix `.next` is beside it. The
 * launch does not enter an unexamined library; the next launch runs the new one. Entry records its launch in
 * `entries.txt`. Finding the other library shows that it was loaded under its own name. */

#define _GNU_SOURCE /* dladdr */
#include <bgtask.h>

#include "Records.h"

#include <dlfcn.h>
#include <stdio.h>

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
