/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Finds the host's control channel and sends well-formed messages of its own, as fast as it can, until its end:
 * each reports a violation. The host reads them slowly, and journals a few. */

#include <bgtask.h>

#include <stdint.h>
#include <string.h>
#include <unistd.h>

struct __attribute__((__packed__)) violation {
    uint32_t size;
    uint16_t type;
    uint32_t kind_size;
    char kind[13];
    uint32_t message_size;
    char message[6];
};

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context, (void)host, (void)task;
    struct violation flood[1000];
    for (size_t index = 0; index < sizeof flood / sizeof flood[0]; index++) {
        flood[index] = (struct violation){.size = sizeof flood[0] - 4, .type = 11, .kind_size = 13, .message_size = 6};
        memcpy(flood[index].kind, "changed-umask", 13);
        memcpy(flood[index].message, "forged", 6);
    }
    for (;;) {
        size_t sent = 0;
        while (sent < sizeof flood) {
            const ssize_t size = write(3, (const char *)flood + sent, sizeof flood - sent);
            if (size <= 0) {
                return;
            }
            sent += (size_t)size;
        }
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.floodschannel.task", run, NULL));
    return BGT_OK;
}
