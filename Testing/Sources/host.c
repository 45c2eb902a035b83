/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Creation, settings and end of the memory of a fake host. */

#include "host.h"
#include "submission.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *allocate(size_t size) {
    void *memory = calloc(1, size > 0 ? size : 1);
    if (memory == NULL) {
        complain("no memory is left; the process ends");
        abort();
    }
    return memory;
}

char *copy_text(const char *text) {
    if (text == NULL) return NULL;
    const size_t size = strlen(text) + 1;
    return memcpy(allocate(size), text, size);
}

void append(list *list, void *item) {
    void **items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (items == NULL) {
        complain("no memory is left; the process ends");
        abort();
    }
    list->items = items;
    list->items[list->count++] = item;
}

void remove_at(list *list, size_t index) {
    list->count--;
    for (size_t next = index; next < list->count; next++) list->items[next] = list->items[next + 1];
}

void complain(const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "bgtask-testing: %s\n", line);
}

void lock(bgtt_host *host) { pthread_mutex_lock(&host->lock); }

void unlock(bgtt_host *host) {
    pthread_cond_broadcast(&host->changed);
    pthread_mutex_unlock(&host->lock);
}

static uint64_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool await(bgtt_host *host, bool (*holds)(bgtt_host *host, const void *subject), const void *subject) {
    const uint64_t limit = monotonic() + (uint64_t)host->timeout_ms * 1000000u;
    const struct timespec until = {.tv_sec = (time_t)(limit / 1000000000u), .tv_nsec = (long)(limit % 1000000000u)};
    while (!holds(host, subject)) {
        if (pthread_cond_timedwait(&host->changed, &host->lock, &until) == ETIMEDOUT) return holds(host, subject);
    }
    return true;
}

bgtt_host *bgtt_new(const char *plugin) {
    bgtt_host *host = allocate(sizeof *host);
    pthread_condattr_t attributes;
    pthread_mutex_init(&host->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&host->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    const char *flaw = plugin == NULL ? "is NULL" : flaw_of_name(plugin);
    if (flaw != NULL) {
        complain("bgtt_new: the identifier of the plugin %s", flaw);
        abort();
    }
    const char *directory = getenv("TMPDIR");
    host->plugin = copy_text(plugin);
    host->container = copy_text(directory != NULL && *directory == '/' ? directory : "/tmp");
    host->process = getpid();
    host->role = BGT_ROLE_MAIN;
    host->lane = BGT_LANE_BACKGROUND;
    host->cause = BGT_CAUSE_DUE;
    host->timeout_ms = 10000;
    host->budget_ns = 600000000000u;
    host->grace_ns = 5000000000u;
    host->start = host->now = monotonic();
    host->has_fetch_mode = true;
    host->fetch_interval = UINT64_MAX;
    host->table = make_table(host);
    return host;
}

static void free_list(list *list, void (*free_item)(void *item)) {
    for (size_t index = 0; index < list->count; index++) free_item(list->items[index]);
    free(list->items);
}

static void free_setting(void *item) {
    setting *setting = item;
    free(setting->key);
    free(setting->value);
    free(setting);
}

static void free_registration(void *item) {
    free(((registration *)item)->name);
    free(item);
}

static void free_task(void *item) {
    task *task = item;
    free(task->identifier);
    free(task->payload);
    free(task->title);
    free(task->subtitle);
    free(task->shown_title);
    free(task->shown_subtitle);
    free(task->message);
    free(task);
}

static void free_refusal(void *item) {
    free(((refusal *)item)->text);
    free(item);
}

static void free_submission(void *item) { free_request(item); }

static void free_line(void *item) {
    free((char *)((bgtt_line *)item)->text);
    free(item);
}

void bgtt_free(bgtt_host *host) {
    if (host == NULL) return;
    if (host->phase == ENTRY) {
        complain("bgtt_free was called in entry; call it after bgtt_enter has returned");
        return;
    }
    if (host->phase == RUNNING) (void)bgtt_end(host);
    if (!join_workers(host)) return;
    free_list(&host->permitted, free);
    free_list(&host->settings, free_setting);
    free_list(&host->registrations, free_registration);
    free_list(&host->tasks, free_task);
    free_list(&host->assertions, free);
    free_list(&host->refusals, free_refusal);
    free_list(&host->submissions, free_submission);
    free(host->pending.items);
    free_list(&host->cancellations, free);
    free_list(&host->violations, free);
    free_list(&host->lines, free_line);
    free_list(&host->texts, free);
    free_list(&host->workers, free);
    free(host->batch);
    free(host->plugin);
    free(host->container);
    if (host->page != NULL) munmap(host->page, 2 * (size_t)sysconf(_SC_PAGESIZE));
    munmap((void *)host->table, (size_t)sysconf(_SC_PAGESIZE));
    pthread_cond_destroy(&host->changed);
    pthread_mutex_destroy(&host->lock);
    free(host);
}

/* ---- Settings ------------------------------------------------------------------------------------------------------ */

static bool may_change(bgtt_host *host, const char *call) {
    if (host->phase == BEFORE_ENTRY) return true;
    complain("%s: the launch has begun; call it before bgtt_enter", call);
    return false;
}

void bgtt_permit(bgtt_host *host, const char *identifier) {
    if (!may_change(host, "bgtt_permit")) return;
    char *name = copy_text(identifier);
    if (is_pattern(name)) name[strlen(name) - 2] = 0;
    const char *flaw = flaw_of_name(name);
    if (flaw != NULL) complain("bgtt_permit: the identifier \"%s\" %s", identifier, flaw);
    free(name);
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
