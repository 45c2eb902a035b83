/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Does items without an end in a loop with a cursor, and writes the result of the loop to `statuses.txt`. */

#include <bgtask.h>

#include "Records.h"

static int32_t count(void *context, const bgt_host *host, bgt_task task, const bgt_position *here,
                     bgt_position *next) {
    (void)context, (void)host, (void)task;
    unsigned item = 0;
    if (here->length == sizeof item) {
        memcpy(&item, here->cursor, sizeof item);
    }
    item++;
    memcpy(next->cursor, &item, sizeof item);
    next->length = sizeof item;
    usleep(1000);
    return BGT_STEP_DONE;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    record_status(host, "for_each", bgt_for_each(host, task, count, NULL, 0));
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    return bgt_register(host, "com.example.countsforever.task", run, NULL);
}
