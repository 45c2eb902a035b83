/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its .task composes identifiers while it runs. It submits .export.1 without a handler, then registers it twice, then
 * submits it; it registers the pattern .export.*, after entry too, and submits .export.2; it registers .late, which
 * its manifest lists by name, and submits it as refresh and as continued; it tries to register .elsewhere, which the
 * manifest does not permit. The status of each call goes to `statuses.txt`. The handler of each continued task goes to
 * `taken.txt`. */

#include <bgtask.h>

#include "Records.h"

#define PREFIX "com.example.registerscomposed."

static void take(void *context, const bgt_host *host, bgt_task task) {
    bgt_task_info info;
    bgt_get_task_info(host, task, &info);
    record(host, "taken.txt", "%s %s\n", (const char *)context, info.identifier);
    bgt_set_progress(host, task, 1, 1);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

static void submit(const bgt_host *host, const char *what, const char *identifier) {
    const bgt_request request = bgt_continued_request(identifier, "Exporting", NULL);
    record_status(host, what, bgt_submit(host, &request, NULL));
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    submit(host, "submit 1", PREFIX "export.1");
    record_status(host, "register 1", bgt_register(host, PREFIX "export.1", take, "name"));
    record_status(host, "register 1", bgt_register(host, PREFIX "export.1", take, "second"));
    submit(host, "submit 1", PREFIX "export.1");
    submit(host, "submit 2", PREFIX "export.2");
    record_status(host, "register *", bgt_register(host, PREFIX "export.*", take, "pattern"));
    submit(host, "submit 2", PREFIX "export.2");
    record_status(host, "register late", bgt_register(host, PREFIX "late", take, "late"));
    const bgt_request refresh = bgt_refresh_request(PREFIX "late");
    record_status(host, "submit late as refresh", bgt_submit(host, &refresh, NULL));
    submit(host, "submit late", PREFIX "late");
    record_status(host, "register elsewhere", bgt_register(host, PREFIX "elsewhere", take, "elsewhere"));
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) { return bgt_register(host, PREFIX "task", run, NULL); }
