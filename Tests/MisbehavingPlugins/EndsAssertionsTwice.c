/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
/* fails: assertion-numbers */

/* Misuses assertions and writes each status to `statuses.txt`: ends one twice, ends invalid numbers, begins without
 * a name or without memory for the number, begins too many. In `stop`, after the end of the launch, it tries to
 * begin another one, and writes how many contexts it passed and how many were released. */

#include <bgtask.h>

#include "Records.h"

#include <stdatomic.h>
#include <string.h>

static atomic_int given, returned;

static void release(void *context) {
    (void)context;
    atomic_fetch_add(&returned, 1);
}

static void must_end(void *context, const bgt_host *host, bgt_assertion assertion, uint32_t reason) {
    (void)context, (void)reason;
    bgt_end_assertion(host, assertion);
}

static void say(const bgt_host *host, const char *what, int32_t status) {
    record(host, "statuses.txt", "%s %s\n", what, bgt_status_name(host, status));
}

static int32_t begin(const bgt_host *host, const char *name, bgt_assertion_handler handler, bgt_assertion *out) {
    atomic_fetch_add(&given, 1);
    return host->begin_assertion(host, name, handler, &given, release, out, NULL);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_assertion first = 0, second = 0, none = 1;
    char name[300];

    say(host, "begin", begin(host, "first", must_end, &first));
    say(host, "end", bgt_end_assertion(host, first));
    say(host, "end again", bgt_end_assertion(host, first));
    say(host, "end zero", bgt_end_assertion(host, 0));
    say(host, "end a task", bgt_end_assertion(host, task));

    memset(name, 'x', sizeof name);
    name[255] = 0;
    say(host, "a name as long as can be", begin(host, name, NULL, &second));
    say(host, "numbers are new", second != first && second != 0 ? BGT_OK : -1);
    say(host, "end", bgt_end_assertion(host, second));
    name[255] = 'x', name[256] = 0;
    say(host, "too long a name", begin(host, name, must_end, &none));
    say(host, "gives no number", none == 0 ? BGT_OK : -1);
    say(host, "not UTF-8", begin(host, "\xff", must_end, &none));
    say(host, "no name", begin(host, NULL, must_end, &none));
    say(host, "no place", begin(host, "placeless", must_end, NULL));

    bgt_assertion many[BGTASK_ASSERTIONS_MAX];
    int32_t status = BGT_OK;
    for (unsigned index = 0; index < BGTASK_ASSERTIONS_MAX && status == BGT_OK; index++) {
        status = begin(host, "one of many", must_end, &many[index]);
    }
    say(host, "as many as can be", status);
    say(host, "one more", begin(host, "one more", must_end, &none));
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
    for (unsigned index = 0; index < BGTASK_ASSERTIONS_MAX; index++) {
        bgt_end_assertion(host, many[index]);
    }
}

static void stop(void *context, const bgt_host *host) {
    (void)context;
    bgt_assertion none = 1;
    const int32_t status = begin(host, "late", must_end, &none);
    say(host, "begin when all is over", status);
    say(host, "gives no number", none == 0 ? BGT_OK : -1);
    record(host, "contexts.txt", "%d of %d\n", atomic_load(&returned), atomic_load(&given));
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->stop = stop;
    return bgt_register(host, "com.example.endsassertionstwice.task", run, NULL);
}
