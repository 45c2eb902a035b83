/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Sends complete, well-formed messages to the host past its runner: its task begins an assertion of another launch,
 * ends one that never began, then begins a hundred that none of its calls can end, and completes. */

#include <bgtask.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { control = 3, assertion_began = 13, assertion_ended = 14 };

static void send_frame(uint16_t type, uint64_t assertion, const char *name) {
    uint8_t frame[64];
    const uint32_t text = name == NULL ? 0 : (uint32_t)strlen(name);
    const uint32_t length = 2 + 8 + (name == NULL ? 0 : 4 + text);
    memcpy(frame, &length, 4);
    memcpy(frame + 4, &type, 2);
    memcpy(frame + 6, &assertion, 8);
    if (name != NULL) {
        memcpy(frame + 14, &text, 4);
        memcpy(frame + 18, name, text);
    }
    if (write(control, frame, 4 + length) != (ssize_t)(4 + length)) {
        abort();
    }
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_launch_info launch;
    if (bgt_get_launch_info(host, &launch) != BGT_OK) {
        return;
    }
    send_frame(assertion_began, (launch.launch + 1) << 32 | 1, "foreign");
    send_frame(assertion_ended, launch.launch << 32 | 1, NULL);
    for (uint64_t count = 1; count <= 100; count++) {
        send_frame(assertion_began, launch.launch << 32 | count, "forged");
    }
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    return bgt_register(host, "com.example.forgesassertions.task", run, NULL);
}
