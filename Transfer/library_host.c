/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "library_host.h"

static size_t read_cursor(void *context, bgt_task task, uint8_t *bytes, size_t capacity) {
    bgt_cursor_info info;
    return bgt_read_cursor(context, task, &info, bytes, capacity) == BGT_OK ? (size_t)info.length : 0;
}

static int write_cursor(void *context, bgt_task task, const uint8_t *bytes, size_t length, int is_durable) {
    const uint32_t flags = is_durable ? BGT_CHECKPOINT_DURABLE : 0;
    return bgt_checkpoint(context, task, bytes, length, flags) == BGT_OK ? 0 : -1;
}

static void set_progress(void *context, bgt_task task, int64_t completed, int64_t total) {
    (void)bgt_set_progress(context, task, completed, total);
}

static int is_expiring(void *context, bgt_task task) { return bgt_is_expiring(context, task); }

static void log_line(void *context, bgt_task task, uint32_t level, const char *message) {
    bgt_log_task(context, task, level, message);
}

void library_ended(void *context, bgt_task task, const bgt_transfer_end *end) {
    const bgt_host *host = context;
    if (end != NULL) {
        const bgt_transfer_library *table = host->query(host, BGT_TRANSFER_LIBRARY);
        if (table->ended(host, task, end) != BGT_OK) {
            bgt_log_task(host, task, BGT_LOG_ERROR, "the host refused the report about the end of the transfer");
        }
    }
    const int is_finished = end != NULL && end->result == BGT_TRANSFER_END_FINISHED;
    (void)bgt_complete_with_message(host, task, is_finished ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE,
                                    end != NULL && end->message[0] != '\0' ? end->message : NULL);
}

int library_secret(void *context, const char *key, char *buffer, size_t capacity) {
    return bgt_setting(context, key, buffer, capacity, NULL) == BGT_OK ? 0 : -1;
}

struct transfer_host library_host(const bgt_host *host) {
    return (struct transfer_host){
        (void *)(uintptr_t)host, read_cursor, write_cursor, set_progress, is_expiring, log_line, library_ended};
}
