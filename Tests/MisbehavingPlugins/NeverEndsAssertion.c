/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: assertion-ended; settings: handler=returns */

/* Begins the assertion "forever", completes its task, and never ends the assertion: at its expiration it writes the
 * reason to `expired.txt` and, with the setting `handler` = `loops`, does not return. A second assertion, "prompt", is
 * ended in its handler, which the first must not block; it writes to `prompt.txt`. */

#include <bgtask.h>

#include "Records.h"

#include <string.h>

static volatile int loops = 1;

static void ignore(void *context, const bgt_host *host, bgt_assertion assertion, uint32_t reason) {
    (void)context, (void)assertion;
    record(host, "expired.txt", "%u\n", reason);
    while (loops) {
    }
}

static void obey(void *context, const bgt_host *host, bgt_assertion assertion, uint32_t reason) {
    (void)context;
    const int32_t status = bgt_end_assertion(host, assertion);
    record(host, "prompt.txt", "%u %s\n", reason, bgt_status_name(host, status));
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_assertion forever, prompt;
    bgt_begin_assertion(host, "forever", ignore, NULL, NULL, &forever);
    bgt_begin_assertion(host, "prompt", obey, NULL, NULL, &prompt);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    char how[16] = "loops";
    (void)host->setting(host, "handler", how, sizeof how, NULL);
    loops = strcmp(how, "loops") == 0;
    return bgt_register(host, "com.example.neverendsassertion.task", run, NULL);
}
