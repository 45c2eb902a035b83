/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Tries to move a cursor before its work with bgt_for_each: by a failing item, an empty place, a place that is too long,
 * the same place. Also refuses checkpoints and cursors of earlier runs, and runs without the feature. A failed check ends
 * the program. */

#include <bgtask-testing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASK "com.example.loop.task"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __func__, __LINE__, #condition);                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { ITEMS = 10 };
enum { GOOD, EMPTY, SAME, LONG, FAILING, EXPIRING, UNRECORDED, REFUSING };

static int done[ITEMS];
static int manner;
static int32_t result;
static int asked; /* calls of accepts */
static bgtt_host *host;

static int32_t do_item(void *context, const bgt_host *table, bgt_task task, const bgt_position *here,
                       bgt_position *next) {
    (void)context;
    (void)table;
    const int item = here->length == 0 ? 0 : here->cursor[0];
    if (item == ITEMS) {
        return BGT_STEP_END;
    }
    /* The status of a call does not end the loop as a success. */
    if (manner == FAILING && item == 4) {
        return BGT_NOT_FOUND;
    }
    if (manner == EXPIRING && item == 6) {
        (void)bgtt_expire(host, task, BGT_EXPIRED_BUDGET);
    }
    if (manner == UNRECORDED && item % 2 == 1) {
        bgtt_refuse_next(host, BGT_UNAVAILABLE, BGT_REASON_NOT_RECORDED, "the disk is full");
    }
    done[item]++;
    next->cursor[0] = (uint8_t)(item + 1);
    next->length = manner == EMPTY ? 0 : manner == LONG ? BGTASK_CURSOR_MAX + 1 : 1;
    if (manner == SAME) {
        memcpy(next, here, sizeof *here);
    }
    return BGT_STEP_DONE;
}

/* Accepts cursors of version 2, and those of the task's own request. */
static int32_t accepts(void *context, const bgt_host *table, bgt_task task, const bgt_cursor_info *info,
                       const bgt_position *here) {
    (void)context;
    bgt_task_info now;
    CHECK(bgt_get_task_info(table, task, &now) == BGT_OK && here->length == info->length);
    asked++;
    return info->submission == now.submission || (info->version != NULL && strcmp(info->version, "2.0") == 0);
}

static void run(void *context, const bgt_host *table, bgt_task task) {
    result = manner == REFUSING
                 ? bgt_for_each_accepted(table, task, accepts, do_item, context, BGT_CHECKPOINT_DURABLE)
                 : bgt_for_each(table, task, do_item, context, BGT_CHECKPOINT_DURABLE);
    if (result == BGT_NOT_OFFERED) {
        (void)bgt_complete(table, task, BGT_OUTCOME_NO_DATA);
    }
}

static int32_t entry(const bgt_host *table, bgt_plugin *plugin) {
    (void)plugin;
    return bgt_register(table, TASK, run, NULL);
}

static int cursor(void) {
    uint8_t bytes[BGTASK_CURSOR_MAX];
    return bgtt_cursor(host, TASK, bytes, sizeof bytes) == 0 ? -1 : bytes[0];
}

static void run_in(int chosen, int32_t outcome, int32_t status, int left) {
    manner = chosen;
    CHECK(bgtt_run(host, TASK, BGT_KIND_PROCESSING) == outcome);
    CHECK(result == status);
    CHECK(cursor() == left);
}

/* A run after an earlier one of a version. Expects that it does the items from `first` on. */
static void run_after(const char *version, int first) {
    const uint8_t five = 5;
    memset(done, 0, sizeof done);
    asked = 0;
    CHECK(bgtt_set_cursor(host, TASK, &five, 1, version));
    run_in(REFUSING, BGT_OUTCOME_SUCCESS, BGT_OK, -1);
    CHECK(asked == 1);
    for (int item = 0; item < ITEMS; item++) {
        CHECK(done[item] == (item >= first));
    }
}

int main(void) {
    host = bgtt_new("com.example.loop");
    bgtt_permit(host, TASK);
    CHECK(bgtt_enter(host, entry) == BGT_OK);
    run_in(FAILING, BGT_OUTCOME_FAILURE, BGT_NOT_FOUND, 4);
    run_in(EMPTY, BGT_OUTCOME_FAILURE, BGT_INVALID, 4);
    run_in(SAME, BGT_OUTCOME_FAILURE, BGT_INVALID, 4);
    run_in(LONG, BGT_OUTCOME_FAILURE, BGT_INVALID, 4);
    CHECK(done[4] == 3);
    run_in(EXPIRING, BGT_OUTCOME_FAILURE, BGT_ENDED, 7);
    run_in(GOOD, BGT_OUTCOME_SUCCESS, BGT_OK, -1);
    for (int item = 0; item < ITEMS; item++) {
        CHECK(done[item] == (item == 4 ? 4 : 1));
    }
    const uint8_t nine = 9;
    CHECK(bgtt_set_cursor(host, TASK, &nine, 1, "1.0"));
    run_in(GOOD, BGT_OUTCOME_SUCCESS, BGT_OK, -1);
    CHECK(done[9] == 2 && done[8] == 1);
    /* A failed commit ends the loop neither in the middle nor at its last item. */
    run_in(UNRECORDED, BGT_OUTCOME_SUCCESS, BGT_OK, -1);
    for (int item = 0; item < ITEMS - 1; item++) {
        CHECK(done[item] == (item == 4 ? 5 : 2));
    }
    CHECK(done[9] == 3);
    run_after("2.0", 5);
    run_after("1.0", 0);
    run_after(NULL, 0); /* of another request */
    asked = 0;
    run_in(REFUSING, BGT_OUTCOME_SUCCESS, BGT_OK, -1);
    CHECK(asked == 0);
    memset(done, 0, sizeof done);
    bgtt_withhold(host, BGTASK_CURSOR);
    run_in(GOOD, BGT_OUTCOME_NO_DATA, BGT_NOT_OFFERED, -1);
    CHECK(done[0] == 0);
    CHECK(bgtt_end(host) == 0);
    bgtt_free(host);
    puts("every check holds");
    return 0;
}
