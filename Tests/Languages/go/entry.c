/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The note and the entry: Go itself can emit no note. cgo compiles the C files of a package; _cgo_export.h declares the
 * functions of model.go under //export. */

#include "_cgo_export.h"

static void work(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    modelWork((bgt_host *)host, task);
}

static void expired(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    modelExpired((uintptr_t)context, (bgt_host *)host, task, reason);
}

static void release(void *context) { modelRelease((uintptr_t)context); }

static void waits(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_set_expiration_handler_with_release(host, task, expired, (void *)modelWaiting(), release);
}

static void receive(void *context, const bgt_host *host, bgt_task event) {
    (void)context;
    modelReceive((bgt_host *)host, event);
}

static void stop(void *context, const bgt_host *host) {
    (void)context;
    modelStop((bgt_host *)host);
}

int32_t model_visit(void *context, const bgt_host *host, const bgt_pending *request) {
    (void)context;
    return modelVisit((bgt_host *)host, (bgt_pending *)request);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    plugin->receive = receive;
    plugin->stop = stop;
    BGTASK_TRY(bgt_register(host, "com.example.model.work", work, NULL));
    return bgt_register(host, "com.example.model.waits", waits, NULL);
}
