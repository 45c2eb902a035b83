/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Creation of a fake host, its lock and its messages. */

#include "host.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    host->has_push_mode = true;
    memset(host->push_token, 0x5a, 32);
    host->push_token_length = 32;
    host->fetch_interval = UINT64_MAX;
    host->table = make_table(host);
    return host;
}
