/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#include "Place.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The cursor is text, so that `bgtask task cursor` shows the row. */
int64_t place_read(const bgt_host *host, bgt_task task) {
    char text[32];
    bgt_cursor_info info;
    if (bgt_read_cursor(host, task, &info, (uint8_t *)text, sizeof text - 1) != BGT_OK) {
        return INT64_MIN;
    }
    text[info.length] = '\0';
    char *end = text;
    errno = 0;
    const long long row = strtoll(text, &end, 10);
    /* A place that this version cannot read is the start, where no row is skipped. */
    return errno != 0 || end == text || *end != '\0' ? INT64_MIN : row;
}

/* Not durable: a prune that loses a place after a failure of the machine searches more rows, and deletes the same. */
void place_move(const bgt_host *host, bgt_task task, int64_t row) {
    char text[32];
    const int length = snprintf(text, sizeof text, "%" PRId64, row);
    (void)bgt_checkpoint(host, task, text, (uint64_t)length, 0);
}

int place_is_kept(const bgt_host *host, bgt_task task) {
    bgt_task_info info;
    if (bgt_get_task_info(host, task, &info) != BGT_OK) {
        return 0;
    }
    /* 0: the budget is used up, and the host has not expired the task yet. The task then counts as failed. */
    if (info.expiration_reason == 0 || info.expiration_reason == BGT_EXPIRED_STOPPED_BY_USER) {
        return 0;
    }
    uint8_t cursor[BGTASK_CURSOR_MAX];
    return bgt_read_cursor(host, task, NULL, cursor, sizeof cursor) == BGT_OK;
}
