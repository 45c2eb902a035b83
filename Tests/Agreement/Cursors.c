/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Cursors, without the calls that wait for a commit. */

#include "Scenarios.h"

#include <string.h>

static const bgt_cursors *cursors(void) { return (const bgt_cursors *)bgt_query(host, BGTASK_CURSOR); }

static void read_cursor(const char *call, bgt_task task, uint64_t capacity) {
    uint8_t bytes[BGTASK_CURSOR_MAX] = {0};
    bgt_cursor_info info;
    memset(&info, 0xff, sizeof info);
    info.size = sizeof info;
    const int32_t status = cursors()->read(host, task, &info, bytes, capacity);
    answers_to(call, status);
    if (status != BGT_OK && status != BGT_TRUNCATED) return;
    bgt_task_info now;
    say("length %llu, of this submission %d, version %s, moved %d, reserved %u, text %.*s",
        (unsigned long long)info.length,
        bgt_get_task_info(host, task, &now) == BGT_OK && now.submission == info.submission,
        info.version == NULL ? "NULL" : info.version, info.moved_at_ns > 0, info.reserved, (int)capacity, bytes);
}

static void move(const char *call, bgt_task task, const void *bytes, uint64_t length, uint32_t flags) {
    bgt_refusal refusal = {.size = sizeof refusal};
    refused(call, cursors()->checkpoint(host, task, bytes, length, flags, &refusal), &refusal);
}

void try_cursors(bgt_task task) {
    static const uint8_t long_cursor[BGTASK_CURSOR_MAX + 1];
    bgt_cursor_info small_info = {.size = 8};
    bgt_refusal small = {.size = 4};
    uint8_t byte;
    say("size %u, reserved %u", cursors()->size, cursors()->reserved);
    read_cursor("read without a cursor", task, BGTASK_CURSOR_MAX);
    answers_to("read with a small info", cursors()->read(host, task, &small_info, &byte, 1));
    answers_to("read into NULL", cursors()->read(host, task, NULL, NULL, 8));
    read_cursor("read of task 0", 0, BGTASK_CURSOR_MAX);
    move("checkpoint NULL", task, NULL, 1, 0);
    move("checkpoint of 0 bytes", task, long_cursor, 0, 0);
    move("checkpoint of 4097 bytes", task, long_cursor, sizeof long_cursor, 0);
    move("checkpoint with flag 2", task, "row 1", 5, 2);
    move("checkpoint of task 0", 0, "row 1", 5, 0);
    answers_to("checkpoint with a small refusal", cursors()->checkpoint(host, task, long_cursor, 1, 0, &small));
    read_cursor("read after refused checkpoints", task, BGTASK_CURSOR_MAX);
    move("checkpoint", task, "row 1", 5, 0);
    move("checkpoint again", task, "row 20", 6, 0);
    read_cursor("read", task, BGTASK_CURSOR_MAX);
    read_cursor("read with capacity 2", task, 2);
    answers_to("read without information", cursors()->read(host, task, NULL, NULL, 0));
}

void try_cursors_in_vain(bgt_task task) {
    read_cursor("read in vain", task, BGTASK_CURSOR_MAX);
    move("checkpoint in vain", task, "row 3", 5, 0);
}
