/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Information about the launch, settings, log and features. */

#include "host.h"
#include <stdlib.h>
#include <string.h>

/* 0 after the deadline. Locked. */
static uint64_t remaining(bgtt_host *host) {
    if (host->budget_ns == BGTASK_NO_DEADLINE) return BGTASK_NO_DEADLINE;
    const uint64_t used = host->now - host->start;
    return used < host->budget_ns ? host->budget_ns - used : 0;
}

int32_t host_launch_info(const bgt_host *table, bgt_launch_info *out) {
    bgtt_host *host = host_of(table);
    const int32_t status = bar(host, "launch_info");
    if (status != BGT_OK) return status;
    if (out == NULL) return BGT_INVALID;
    lock(host);
    const bgt_launch_info information = {
        .lane = host->lane,
        .cause = host->cause,
        .role = host->role,
        .launch = LAUNCH,
        .remaining_ns = remaining(host),
        .deadline_ns = host->budget_ns == BGTASK_NO_DEADLINE ? BGTASK_NO_DEADLINE : host->start + host->budget_ns,
        .grace_ns = host->grace_ns,
        .plugin = host->plugin,
        .identifiers = host->batch,
        .identifier_count = host->batch_count,
        .supported_resources = host->supported_resources,
        .host_name = "bgtask-testing",
        .host_version = "1",
    };
    unlock(host);
    return fill(out, &information, sizeof information, 96) ? BGT_OK : BGT_INVALID;
}

uint64_t host_remaining(const bgt_host *table) {
    bgtt_host *host = host_of(table);
    if (is_forked(host)) return 0;
    lock(host);
    const uint64_t result = remaining(host);
    unlock(host);
    return result;
}

int32_t host_container_path(const bgt_host *table, char *buffer, uint64_t capacity, uint64_t *needed) {
    bgtt_host *host = host_of(table);
    const int32_t status = bar(host, "container_path");
    return status == BGT_OK ? write_text(host->container, buffer, capacity, needed) : status;
}

int32_t host_setting(const bgt_host *table, const char *key, char *buffer, uint64_t capacity, uint64_t *needed) {
    bgtt_host *host = host_of(table);
    const int32_t status = bar(host, "setting");
    if (status != BGT_OK) return status;
    if (key == NULL) return BGT_INVALID;
    for (size_t index = 0; index < host->settings.count; index++) {
        const setting *setting = host->settings.items[index];
        if (strcmp(setting->key, key) == 0) return write_text(setting->value, buffer, capacity, needed);
    }
    return BGT_NOT_FOUND;
}

void host_log(const bgt_host *table, bgt_task number, uint32_t level, const char *message) {
    bgtt_host *host = host_of(table);
    if (message == NULL || is_forked(host)) return;
    bgtt_line *line = allocate(sizeof *line);
    line->level = level >= BGT_LOG_DEBUG && level <= BGT_LOG_ERROR ? level : BGT_LOG_ERROR;
    line->text = read_repaired(message, BGTASK_LOG_MAX);
    lock(host);
    line->task = find_task(host, number) != NULL ? number : 0;
    append(&host->lines, line);
    unlock(host);
}

const char *host_name(const bgt_host *table, uint32_t vocabulary, int64_t number) {
    (void)table;
    return name_of(vocabulary, number);
}

static bool may_fetch(bgtt_host *host, problem *problem) {
    if (!permit(host, "set_minimum_interval", problem)) return false;
    lock(host);
    if (host->role != BGT_ROLE_MAIN) {
        (void)refuse(problem, BGT_WRONG_ROLE,
                     "an extension called set_minimum_interval; only its main plugin may call this function, because"
                     " the main plugin receives the fetch events");
        violate(host, "legacy fetch", "%s", problem->text);
    } else if (host->permitted.count > 0 || !host->has_fetch_mode) {
        (void)refuse(problem, BGT_NOT_PERMITTED,
                     "legacy fetch requires a manifest with the background mode fetch and without permitted"
                     " identifiers; with this mode and permitted identifiers, submit refresh requests instead");
    }
    unlock(host);
    return problem->status == BGT_OK;
}

static int32_t set_minimum_interval(const bgt_host *table, uint64_t seconds, bgt_refusal *refusal) {
    bgtt_host *host = host_of(table);
    problem problem = {.status = can_answer(host, refusal)};
    if (problem.status != BGT_OK) return problem.status;
    if (may_fetch(host, &problem)) {
        lock(host);
        host->fetch_interval = seconds;
        unlock(host);
    }
    return answer(refusal, &problem, 0);
}

static const bgt_legacy_fetch LEGACY_FETCH = {.size = sizeof LEGACY_FETCH, .set_minimum_interval = set_minimum_interval};

static bool is_withheld(bgtt_host *host, const char *id) {
    bool is_withheld = false;
    lock(host);
    for (size_t index = 0; index < host->withheld.count; index++) {
        is_withheld = is_withheld || strcmp(host->withheld.items[index], id) == 0;
    }
    unlock(host);
    return is_withheld;
}

const void *host_query(const bgt_host *table, const char *id) {
    if (id == NULL || is_withheld(host_of(table), id)) return NULL;
    if (strcmp(id, BGTASK_CURSOR) == 0) return &CURSORS;
    if (strcmp(id, BGTASK_PUSH) == 0) return &PUSHES;
    if (strcmp(id, BGTASK_TRANSFER) == 0) return &TRANSFERS;
    if (strcmp(id, BGTASK_NOTIFICATION) == 0) return &NOTIFICATIONS;
    return strcmp(id, BGTASK_LEGACY_FETCH) == 0 ? &LEGACY_FETCH : NULL;
}

void bgtt_withhold(bgtt_host *host, const char *id) {
    lock(host);
    append(&host->withheld, copy_text(id));
    unlock(host);
}
