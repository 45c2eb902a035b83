/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its handler submits .other, which is permitted but has no handler here. BGT_UNREGISTERED and the refusal's
 * message go to `statuses.txt`; no request becomes pending. */

#include <bgtask.h>

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void record(const bgt_host *host, const char *file, const char *format, ...) {
    char path[4096];
    if (bgt_container_path(host, path, sizeof path - 32, NULL) != BGT_OK) {
        return;
    }
    strcat(strcat(path, "/"), file);
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    va_list arguments;
    va_start(arguments, format);
    vdprintf(descriptor, format, arguments);
    va_end(arguments);
    fsync(descriptor);
    close(descriptor);
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    const bgt_request request = bgt_processing_request("com.example.submitsunregistered.other", 0);
    bgt_refusal refusal = {0};
    const int32_t status = bgt_submit(host, &request, &refusal);
    record(host, "statuses.txt", "%s\n%s\n", bgt_status_name(host, status), refusal.text);
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.submitsunregistered.task", run, NULL));
    return BGT_OK;
}
