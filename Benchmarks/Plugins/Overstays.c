/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * Never completes its task, even after its expiration. Writes its process identifier and the time at which the host
 * is to kill it, in nanoseconds of the monotonic clock, as two 64-bit numbers to the file that the setting `fifo`
 * names. */
#include <bgtask.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

static char fifo[4096];

static void ignore(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)host, (void)task, (void)reason;
}

static void stay(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_launch_info launch;
    if (bgt_set_expiration_handler(host, task, ignore, NULL) != BGT_OK
        || bgt_get_launch_info(host, &launch) != BGT_OK) {
        return;
    }
    const uint64_t record[] = {(uint64_t)getpid(), launch.deadline_ns + launch.grace_ns};
    const int descriptor = open(fifo, O_WRONLY | O_CLOEXEC);
    const ssize_t written = write(descriptor, record, sizeof record);
    (void)written;
    for (;;) pause();
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    char task[256];
    BGTASK_TRY(bgt_setting(host, "fifo", fifo, sizeof fifo, NULL));
    BGTASK_TRY(bgt_setting(host, "task", task, sizeof task, NULL));
    return bgt_register(host, task, stay, NULL);
}
