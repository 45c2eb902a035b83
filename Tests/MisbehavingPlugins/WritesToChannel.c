/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: process-channel */

/* Writes invalid bytes to every descriptor that it did not open, the host's control channel among them, and
 * continues. The host accepts none of them as a message, and ends the launch. */

#include <bgtask.h>

#include <string.h>
#include <unistd.h>

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char nonsense[4096];
    memset(nonsense, 0xee, sizeof nonsense);
    for (int descriptor = 3; descriptor < 64; descriptor++) {
        if (write(descriptor, nonsense, sizeof nonsense) < 0) {
            continue;
        }
    }
    while (!bgt_is_expiring(host, task)) {
        usleep(1000);
    }
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.writestochannel.task", run, NULL));
    return BGT_OK;
}
