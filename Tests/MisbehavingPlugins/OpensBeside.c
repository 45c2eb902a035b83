/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Opens files in the directory of its library for reading, whose names are the words of the setting `files`, and sets
 * the mode of each to 0. Writes a line `NAME ERRNO` for each to `beside.txt` in the container; 0 is a success. */

#define _GNU_SOURCE /* dladdr */
#include <bgtask.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int error_of(const char *name) {
    char path[4096];
    Dl_info own;
    if (dladdr((void *)(uintptr_t)error_of, &own) == 0) return EINVAL;
    const char *const slash = strrchr(own.dli_fname, '/');
    if (slash == NULL) return EINVAL;
    snprintf(path, sizeof path, "%.*s/%s", (int)(slash - own.dli_fname), own.dli_fname, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    const int error = fchmod(file, 0) == 0 ? 0 : errno;
    close(file);
    return error;
}

static int32_t open_all(char *names, const char *path) {
    char *rest = NULL;
    FILE *const report = fopen(path, "we");
    if (report == NULL) return BGT_OUTCOME_FAILURE;
    for (char *name = strtok_r(names, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest))
        fprintf(report, "%s %d\n", name, error_of(name));
    return fclose(report) == 0 ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char names[4096], path[4096];
    int32_t outcome = BGT_OUTCOME_FAILURE;
    if (bgt_setting(host, "files", names, sizeof names, NULL) == BGT_OK &&
        bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK)
        outcome = open_all(names, strcat(path, "/beside.txt"));
    bgt_complete(host, task, outcome);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.opensbeside.task", run, NULL);
}
