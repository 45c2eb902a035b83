/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Appends a line to `ran.txt` in the container, and then sets the mode of the container to 0. Completes with success if
 * both are possible. */

#include <bgtask.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int32_t close_container(const char *container) {
    const int directory = open(container, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int file = openat(directory, "ran.txt", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const int is_done = write(file, "ran\n", 4) == 4 && fchmod(directory, 0) == 0;
    close(file);
    close(directory);
    return is_done ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char container[4096];
    const int is_known = bgt_container_path(host, container, sizeof container, NULL) == BGT_OK;
    bgt_complete(host, task, is_known ? close_container(container) : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.closescontainer.task", run, NULL);
}
