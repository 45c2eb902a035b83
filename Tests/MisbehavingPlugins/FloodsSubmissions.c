/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Finds the host's control channel and writes complete, well-formed submissions of its task to it, past its runner
 * and its window of unanswered calls, as fast as it can until its end. Each request has its earliest begin in the
 * far future and replaces the one before. The setting `task` names the task. */

#include <bgtask.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { control = 3, submit = 6, per_write = 100 };

static const uint64_t year_2100 = UINT64_C(4102444800000000000);

static uint8_t *put(uint8_t *end, const void *bytes, uint32_t count) {
    memcpy(end, bytes, count);
    return end + count;
}

static uint8_t *put_u32(uint8_t *end, uint32_t value) { return put(end, &value, sizeof value); }
static uint8_t *put_u64(uint8_t *end, uint64_t value) { return put(end, &value, sizeof value); }

/* Writes the frame and returns its end. */
static uint8_t *put_submission(uint8_t *start, uint64_t call, const char *task) {
    const uint16_t type = submit;
    const uint32_t length = (uint32_t)strlen(task);
    uint8_t *end = put(start + sizeof(uint32_t), &type, sizeof type);
    end = put_u64(end, call);
    end = put(put_u32(end, length), task, length);
    end = put_u32(end, BGT_KIND_PROCESSING);
    end = put_u64(put(end, "\1", 1), year_2100);
    end = put(end, "\0\0\0", 3);
    end = put_u32(end, 0);
    end = put(end, "\0", 1);
    end = put_u32(end, 0);
    put_u32(start, (uint32_t)(end - start - sizeof(uint32_t)));
    return end;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)task;
    static uint8_t flood[per_write * 512];
    char name[256];
    if (bgt_setting(host, "task", name, sizeof name, NULL) != BGT_OK) {
        return;
    }
    bgt_log(host, BGT_LOG_INFO, "the flood begins");
    for (uint64_t call = UINT64_C(1) << 32;;) {
        uint8_t *end = flood;
        for (int index = 0; index < per_write; index++) {
            end = put_submission(end, call++, name);
        }
        for (uint8_t *next = flood; next < end;) {
            const ssize_t size = write(control, next, (size_t)(end - next));
            if (size <= 0) {
                return;
            }
            next += size;
        }
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    char name[256];
    BGTASK_TRY(bgt_setting(host, "task", name, sizeof name, NULL));
    BGTASK_TRY(bgt_register(host, name, run, NULL));
    return BGT_OK;
}
