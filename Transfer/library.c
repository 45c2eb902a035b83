/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* libbgtask-transfer.so: the plugin library with which a host makes the transfers of a plugin. The main thread runs the
 * loop. Handlers only add transfers to it. */

#define _GNU_SOURCE

#include "loop.h"

#include "library_host.h"
#include "lookup.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* The host runs fewer at once. */
enum { AT_ONCE = 64 };

static struct library {
    struct loop loop;
    struct transfer_limits limits;
    struct transfer_host host;
    int container;
} library;

static void fail(const bgt_host *host, bgt_task task, uint32_t result, uint32_t fault, const char *message) {
    const bgt_transfer_end end = {.size = sizeof end,
                                  .result = result,
                                  .fault = fault,
                                  .retry_after_s = -1,
                                  .total = UINT64_MAX,
                                  .message = message};
    library_ended((void *)(uintptr_t)host, task, &end);
}

static void expire(void *context, const bgt_host *host, bgt_task task, uint32_t reason) {
    (void)context, (void)host, (void)task, (void)reason;
    loop_wake(&library.loop);
}

static void begin(void *context, const bgt_host *host, bgt_task task) {
    bgt_task_info info;
    struct spec spec;
    char flaw[SPEC_FLAW_MAX] = {0};
    (void)context;
    if (bgt_get_task_info(host, task, &info) != BGT_OK) {
        return;
    }
    if (spec_read(&spec, (const char *)info.payload, (size_t)info.payload_length, flaw) != 0) {
        fail(host, task, BGT_TRANSFER_END_FATAL, spec.fault, flaw);
        spec_release(&spec);
        return;
    }
    if (spec_fill_secrets(&spec, library_secret, (void *)(uintptr_t)host, flaw) != 0) {
        fail(host, task, BGT_TRANSFER_END_FATAL, BGT_TRANSFER_SECRET_MISSING, flaw);
        spec_release(&spec);
        return;
    }
    struct transfer *transfer = transfer_create(task, &library.host, &library.limits, library.container, &spec);
    if (transfer == NULL) {
        fail(host, task, BGT_TRANSFER_END_TRANSIENT, BGT_TRANSFER_NETWORK, "memory is short");
        spec_release(&spec);
        return;
    }
    (void)bgt_set_expiration_handler(host, task, expire, NULL);
    loop_add(&library.loop, transfer);
}

static void run_main(void *context, const bgt_host *host) {
    (void)context, (void)host;
    loop_run(&library.loop);
}

static void stop(void *context, const bgt_host *host) {
    (void)context, (void)host;
    loop_stop(&library.loop);
}

static int open_container(const bgt_host *host) {
    char path[SPEC_PATH_MAX];
    if (bgt_container_path(host, path, sizeof path, NULL) != BGT_OK) {
        return -1;
    }
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    if (host->query(host, BGT_TRANSFER_LIBRARY) == NULL) {
        bgt_log(host, BGT_LOG_ERROR, "this library runs only in launches of the lane transfer");
        return BGT_NOT_OFFERED;
    }
    lookup_prepare();
    library.host = library_host(host);
    library.limits = transfer_default_limits();
    library.limits.authorities = getenv("SSL_CERT_FILE");
    library.container = open_container(host);
    if (library.container < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK
        || loop_open(&library.loop, AT_ONCE) != 0) {
        bgt_log(host, BGT_LOG_ERROR, "the container or curl cannot be used");
        return BGT_UNAVAILABLE;
    }
    plugin->run_main = run_main;
    plugin->stop = stop;
    return bgt_register(host, BGT_TRANSFER_HANDLER, begin, NULL);
}
