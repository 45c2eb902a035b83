/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Behaves well: each continued task of its launch begins a download of the setting `url`, and shows it as its own
 * progress until the download ends. It completes successfully when the download has finished. */

#include <bgtask.h>

#include "Records.h"
#include "RegistersLaunched.h"

#include <stdlib.h>
#include <unistd.h>

static void follow(void *context, const bgt_host *host, bgt_task task) {
    char url[512];
    uint64_t number = 0;
    uint32_t state = 0;
    bgt_refusal refusal;
    (void)context;
    if (bgt_setting(host, "url", url, sizeof url, NULL) != BGT_OK) {
        abort();
    }
    const bgt_transfer transfer = bgt_download("shown", url);
    int32_t status = bgt_begin_transfer(host, &transfer, &number, &refusal);
    record_status(host, "begin", status);
    record_status(host, "unknown", bgt_show_transfer(host, task, "shown", number + 4711, &state));
    while (status == BGT_OK && state < BGT_TRANSFER_FINISHED && !bgt_is_expiring(host, task)) {
        usleep(10000);
        status = bgt_show_transfer(host, task, "shown", number, &state);
    }
    record_status(host, "show", status);
    bgt_complete(host, task, state == BGT_TRANSFER_FINISHED ? BGT_OUTCOME_SUCCESS : BGT_OUTCOME_FAILURE);
}

BGTASK_PLUGIN_ENTRY(host, plugin) { return register_launched(host, follow); }
