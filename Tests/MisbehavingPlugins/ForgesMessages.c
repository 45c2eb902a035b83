/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* An extension whose entry sends complete, well-formed messages to the host past its runner. It claims that entry
 * has returned with a handler for the setting `task`, completes the task whose number is the setting `victim`,
 * submits the identifier of the setting `foreign`, registers late, reports progress and a title of the victim, sets
 * a fetch interval, and registers, completes and submits the same again under the plugin's own identifier. Then it
 * continues normally, and completes its trigger. */

#include <bgtask.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    control = 3,
    entered = 1,
    completed = 3,
    submit = 6,
    registered = 15,
    progress = 16,
    title = 17,
    fetch_interval = 18
};

static uint8_t frame[1024];
static uint32_t length;

static void put(const void *bytes, uint32_t count) {
    memcpy(frame + length, bytes, count);
    length += count;
}

static void put_u32(uint32_t value) { put(&value, sizeof value); }
static void put_u64(uint64_t value) { put(&value, sizeof value); }

static void put_text(const char *text) {
    put_u32((uint32_t)strlen(text));
    put(text, (uint32_t)strlen(text));
}

static void begin(uint16_t type) {
    length = 4;
    put(&type, sizeof type);
}

static void send_frame(void) {
    const uint32_t count = length - 4;
    memcpy(frame, &count, sizeof count);
    if (write(control, frame, length) != (ssize_t)length) {
        abort();
    }
}

static void forge(const char *task, uint64_t victim, const char *foreign) {
    begin(entered);
    put_u32(0);
    put_u32(1);
    put_text(task);
    put("\1\0", 2);
    send_frame();
    begin(completed);
    put_u64(victim);
    put_u32(BGT_OUTCOME_SUCCESS);
    put("\0", 1);
    send_frame();
    begin(submit);
    put_u64(1000);
    put_text(foreign);
    put_u32(BGT_KIND_PROCESSING);
    put("\0\0\0\0", 4);
    put_u32(0);
    put("\0", 1);
    put_u32(0);
    send_frame();
    begin(registered);
    put_text(task);
    send_frame();
    begin(progress);
    put_u64(victim);
    put_u64(1);
    put_u64(2);
    send_frame();
    begin(title);
    put_u64(victim);
    put_text("not yours");
    put("\0", 1);
    send_frame();
    begin(fetch_interval);
    put("\0", 1);
    send_frame();
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    bgt_complete(host, event, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    char task[256], victim[32], foreign[256];
    BGTASK_TRY(bgt_setting(host, "task", task, sizeof task, NULL));
    BGTASK_TRY(bgt_setting(host, "victim", victim, sizeof victim, NULL));
    BGTASK_TRY(bgt_setting(host, "foreign", foreign, sizeof foreign, NULL));
    plugin->receive = receive;
    forge(task, strtoull(victim, NULL, 10), foreign);
    forge("com.example.forgesmessages.own", strtoull(victim, NULL, 10), "com.example.forgesmessages.own");
    return BGT_OK;
}
