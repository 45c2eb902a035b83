/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A plugin that receives background pushes: each push adds a line to `notices.txt` in its container. It needs no tasks:
 * the senders determine the times of its launches. At each launch it registers, and keeps its device token in
 * `device-token.txt`, where a real plugin would send a changed token to its own server. */

#define _POSIX_C_SOURCE 200809L

#include <bgtask.h>

#include <errno.h>
#include <fcntl.h>
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

/* Replaces the file as a whole, so that a reader never sees a part of the token. Only the owner may read it. */
static int write_token(char *path, const uint8_t *token, uint64_t length) {
    char draft[4096];
    snprintf(draft, sizeof draft, "%s/device-token.partial", path);
    const int descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file == NULL) {
        return 0;
    }
    for (uint64_t index = 0; index < length; index++) {
        fprintf(file, "%02x", token[index]);
    }
    fputc('\n', file);
    const int is_written = fclose(file) == 0;
    return is_written && rename(draft, strcat(path, "/device-token.txt")) == 0;
}

/* Registers for pushes. Without a token the plugin works on: local senders need none. */
static void register_for_pushes(const bgt_host *host) {
    uint8_t token[BGTASK_PUSH_TOKEN_MAX];
    uint64_t length = 0;
    char path[4000];
    const int32_t status = bgt_register_for_pushes(host, token, sizeof token, &length);
    if (status != BGT_OK) {
        bgt_log(host, BGT_LOG_WARNING, bgt_status_name(host, status));
        return;
    }
    if (bgt_container_path(host, path, sizeof path - sizeof "/device-token.txt", NULL) != BGT_OK
        || !write_token(path, token, length)) {
        bgt_log(host, BGT_LOG_ERROR, "the device token was not written");
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    register_for_pushes(host);
    plugin->receive = receive;
    return BGT_OK;
}
