/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: reads the setting `token` in entry and in its task, and writes the value to `token.txt` if both reads
 * agree. Completes with success. */

#include <bgtask.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char at_entry[4096];

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[4096], token[4096];
    if (bgt_setting(host, "token", token, sizeof token, NULL) == BGT_OK && strcmp(token, at_entry) == 0 &&
        bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK) {
        strcat(path, "/token.txt");
        const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (write(file, token, strlen(token)) < 0) {
            bgt_log(host, BGT_LOG_ERROR, "token.txt is not written");
        }
        close(file);
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_setting(host, "token", at_entry, sizeof at_entry, NULL));
    BGTASK_TRY(bgt_register(host, "com.example.readssecret.task", run, NULL));
    return BGT_OK;
}
