/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The entry of a launch: its page, its result, and the message of a failure. */

#include "host.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The struct at the start of a zeroed page, before a page that cannot be written (BGT-ABI-03). */
static bgt_plugin *make_page(void) {
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        complain("no memory is left; the process ends");
        abort();
    }
    mprotect(page + size, size, PROT_NONE);
    bgt_plugin *plugin = (bgt_plugin *)(void *)page;
    plugin->size = sizeof *plugin;
    return plugin;
}

/* Reads the page, and closes it: a later write of the plugin ends the process. Locked. */
static int32_t read_page(bgtt_host *host) {
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    const uint8_t *bytes = (const uint8_t *)host->page;
    size_t behind = sizeof(bgt_plugin);
    while (behind < size && bytes[behind] == 0) behind++;
    host->hooks = *host->page;
    mprotect(host->page, size, PROT_NONE);
    if (behind < size) {
        violate(host, "BGT-ABI-03",
                "entry wrote behind bgt_plugin, at offset %zu, into a field that this host, of ABI minor version %u,"
                " does not have; ask BGTASK_HAS(plugin, FIELD) before writing the field, or upgrade bgtaskd",
                behind, BGTASK_ABI_MINOR);
        return BGT_TOO_NEW;
    }
    if (host->hooks.reserved != 0) {
        violate(host, "BGT-ABI-03", "entry wrote %u into bgt_plugin.reserved; leave it zero", host->hooks.reserved);
        return BGT_INVALID;
    }
    return BGT_OK;
}

static int32_t fail(bgtt_host *host, int32_t status) {
    host->phase = FAILED;
    unlock(host);
    release_contexts(host);
    lock(host);
    for (size_t index = 0; index < host->registrations.count; index++) {
        free(((registration *)host->registrations.items[index])->name);
        free(host->registrations.items[index]);
    }
    host->registrations.count = 0;
    for (size_t index = 0; index < host->assertions.count; index++) {
        ((assertion *)host->assertions.items[index])->is_open = false;
    }
    unlock(host);
    return status;
}

/* Locked. */
static void close_batch(bgtt_host *host) {
    host->batch = allocate((host->tasks.count + 1) * sizeof *host->batch);
    for (size_t index = 0; index < host->tasks.count; index++) {
        const task *task = host->tasks.items[index];
        if (task->kind != BGT_KIND_EVENT) host->batch[host->batch_count++] = task->identifier;
    }
}

void keep_problem(bgtt_host *host, const char *call, const problem *problem) {
    lock(host);
    if (host->phase == ENTRY && problem->status != BGT_OK) {
        host->in_entry = *problem;
        host->call_in_entry = call;
    }
    unlock(host);
}

/* Names the failure of entry, and the refused call behind it. Locked. */
static void report_entry(const bgtt_host *host, int32_t status, bool has_violated) {
    const char *name = name_of(BGT_VOCABULARY_STATUS, status);
    if (has_violated) {
        complain("bgtt_enter: %s (%d): entry violated BGT-ABI-03: %s", name, status,
                 (const char *)host->violations.items[host->violations.count - 1]);
    } else if (host->in_entry.status == status) {
        complain("bgtt_enter: entry returned %s (%d), as %s did: %s", name, status, host->call_in_entry,
                 host->in_entry.text);
    } else {
        complain("bgtt_enter: entry returned %s (%d); return BGT_OK when the plugin can run its tasks", name, status);
    }
}

int32_t bgtt_enter(bgtt_host *host, bgt_plugin_entry entry) {
    lock(host);
    const bool is_first = host->phase == BEFORE_ENTRY;
    if (is_first) {
        host->phase = ENTRY;
        host->page = make_page();
        close_batch(host);
    }
    unlock(host);
    if (!is_first) {
        complain("bgtt_enter: a launch calls entry once; use a new host");
        return BGT_WRONG_PHASE;
    }
    int32_t status = entry(host->table, host->page);
    lock(host);
    const bool has_returned_ok = status == BGT_OK;
    if (has_returned_ok) status = read_page(host);
    if (status != BGT_OK) {
        report_entry(host, status, has_returned_ok);
        return fail(host, status);
    }
    host->phase = RUNNING;
    for (size_t index = 0; index < host->tasks.count; index++) begin_task(host, host->tasks.items[index]);
    unlock(host);
    return BGT_OK;
}
