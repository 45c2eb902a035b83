/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A plugin that receives background pushes: each push adds a line to `notices.txt` in its container. It needs no tasks:
 * the senders determine the times of its launches. */

#include <bgtask.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Writes the payload as one line; true after a complete write. */
static int write_line(FILE *file, const bgt_task_info *info) {
    for (uint64_t index = 0; index < info->payload_length; index++) {
        const int byte = info->payload[index];
        fputc(byte == '\n' || byte == '\r' ? ' ' : byte, file);
    }
    fputc('\n', file);
    return fflush(file) == 0;
}

static int32_t add_notice(const bgt_host *host, bgt_task push, const bgt_task_info *info) {
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - sizeof "/notices.txt", NULL) != BGT_OK) {
        return BGT_OUTCOME_FAILURE;
    }
    FILE *file = fopen(strcat(path, "/notices.txt"), "a");
    const int is_written = file != NULL && write_line(file, info);
    if (!is_written) {
        bgt_log_task(host, push, BGT_LOG_ERROR, strerror(errno));
    }
    if (file != NULL) {
        fclose(file);
    }
    return is_written ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE;
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_task_info info;
    int32_t outcome = BGT_OUTCOME_NO_DATA;
    if (bgt_get_task_info(host, event, &info) == BGT_OK && info.event == BGT_EVENT_PUSH && info.payload_length > 0) {
        outcome = add_notice(host, event, &info);
    }
    /* As soon as the work is done: the launch ends with its last task. */
    bgt_complete(host, event, outcome);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)host;
    plugin->receive = receive;
    return BGT_OK;
}
