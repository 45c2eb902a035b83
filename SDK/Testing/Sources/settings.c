/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The settings of a launch, before entry. */

#include "host.h"
#include <stdlib.h>
#include <string.h>

static bool may_change(bgtt_host *host, const char *call) {
    if (host->phase == BEFORE_ENTRY) return true;
    complain("%s: the launch has begun; call it before bgtt_enter", call);
    return false;
}

void bgtt_permit(bgtt_host *host, const char *identifier) {
    if (!may_change(host, "bgtt_permit")) return;
    const char *flaw = flaw_of_permitted(identifier);
    if (flaw != NULL) complain("bgtt_permit: the identifier \"%s\" %s", identifier, flaw);
    if (flaw == NULL) append(&host->permitted, copy_text(identifier));
}

void bgtt_set_role(bgtt_host *host, uint32_t role) {
    if (may_change(host, "bgtt_set_role")) host->role = role;
}

void bgtt_set_lane(bgtt_host *host, uint32_t lane, uint32_t cause) {
    if (!may_change(host, "bgtt_set_lane")) return;
    host->lane = lane;
    host->cause = cause;
}

void bgtt_set_setting(bgtt_host *host, const char *key, const char *value) {
    if (!may_change(host, "bgtt_set_setting")) return;
    for (size_t index = 0; index < host->settings.count; index++) {
        setting *present = host->settings.items[index];
        if (strcmp(present->key, key) != 0) continue;
        remove_at(&host->settings, index);
        free_setting(present);
        break;
    }
    if (value == NULL) return;
    setting *setting = allocate(sizeof *setting);
    setting->key = copy_text(key);
    setting->value = copy_text(value);
    append(&host->settings, setting);
}

void bgtt_set_container(bgtt_host *host, const char *path) {
    if (!may_change(host, "bgtt_set_container")) return;
    if (path == NULL || *path != '/') {
        complain("bgtt_set_container: \"%s\" is not absolute; pass an absolute path", path == NULL ? "" : path);
        return;
    }
    free(host->container);
    host->container = copy_text(path);
}

void bgtt_set_budget(bgtt_host *host, uint64_t budget_ns, uint64_t grace_ns) {
    if (!may_change(host, "bgtt_set_budget")) return;
    host->budget_ns = budget_ns;
    host->grace_ns = grace_ns;
}

void bgtt_set_supported_resources(bgtt_host *host, uint64_t resources) {
    if (may_change(host, "bgtt_set_supported_resources")) host->supported_resources = resources;
}

void bgtt_set_fetch_mode(bgtt_host *host, bool has_mode) {
    if (may_change(host, "bgtt_set_fetch_mode")) host->has_fetch_mode = has_mode;
}

void bgtt_set_timeout(bgtt_host *host, uint32_t milliseconds) {
    lock(host);
    host->timeout_ms = milliseconds;
    unlock(host);
}

const bgt_host *bgtt_table(bgtt_host *host) { return host->table; }
