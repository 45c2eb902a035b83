/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Writes the numbers 0 to 199 to `items.txt`, one per item of a loop with a cursor. Before every twentieth item the
 * process kills itself once, unless the setting `kill` is `host`: then it waits once until the file `release` exists. */

#include <bgtask.h>

#include "Records.h"

#include <signal.h>
#include <stdlib.h>

enum { ITEMS = 200, PART = 20 };

/* Whether the place is reached for the first time. */
static int is_first_time(const bgt_host *host, unsigned item) {
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) {
        return 0;
    }
    snprintf(path + strlen(path), 32, "/reached-%u", item);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor < 0) {
        return 0;
    }
    close(descriptor);
    return 1;
}

static void wait_for_the_end(const bgt_host *host) {
    while (!is_released(host)) {
        usleep(1000);
    }
}

static int32_t count(void *context, const bgt_host *host, bgt_task task, const bgt_position *here,
                     bgt_position *next) {
    (void)task;
    unsigned item = 0;
    if (here->length == sizeof item) {
        memcpy(&item, here->cursor, sizeof item);
    }
    if (item == ITEMS) {
        return BGT_STEP_END;
    }
    if (item % PART == PART / 2 && is_first_time(host, item)) {
        if (context != NULL) {
            wait_for_the_end(host);
        } else {
            raise(SIGKILL);
        }
    }
    record(host, "items.txt", "%u\n", item);
    item++;
    memcpy(next->cursor, &item, sizeof item);
    next->length = sizeof item;
    return BGT_STEP_DONE;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    record_status(host, "for_each", bgt_for_each(host, task, count, context, BGT_CHECKPOINT_DURABLE));
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    static char waits = 1;
    char kill[8] = "";
    (void)bgt_setting(host, "kill", kill, sizeof kill, NULL);
    return bgt_register(host, "com.example.countsitems.task", run, strcmp(kill, "host") == 0 ? &waits : NULL);
}
