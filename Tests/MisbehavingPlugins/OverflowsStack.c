/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: no-crash */

/* Calls itself until its thread's stack is used up. The runner reports the crash on another stack; the host charges
 * the task, relaunches it later, and abandons it after three attempts. */

#include <bgtask.h>


static volatile unsigned depth;

static unsigned descend(unsigned level) {
    volatile char frame[4096];
    frame[0] = (char)level;
    depth = level;
    /* Used after the call, so that it cannot become a loop. */
    return (level == UINT32_MAX ? 0 : descend(level + 1)) + (unsigned)frame[0];
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, descend(0) == 1 ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.overflowsstack.task", run, NULL));
    return BGT_OK;
}
