/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#include "Settings.h"

#include "DatabaseCleaner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_text(const bgt_host *host, const char *key, const char *fallback, char *out, size_t capacity) {
    uint64_t needed = 0;
    const int32_t status = bgt_setting(host, key, out, capacity, &needed);
    if (status == BGT_OK && out[0] != '\0') {
        return 0;
    }
    snprintf(out, capacity, "%s", fallback);
    if (status == BGT_OK || status == BGT_NOT_FOUND) {
        return 0;
    }
    log_line(host, BGT_LOG_ERROR, "setting %s: %s: at most %zu bytes fit", key, bgt_status_name(host, status),
             capacity - 1);
    return -1;
}

static int read_number(const bgt_host *host, const char *key, int64_t fallback, int64_t most, int64_t *out) {
    char text[64];
    *out = fallback;
    if (read_text(host, key, "", text, sizeof text) != 0) {
        return -1;
    }
    if (text[0] == '\0') {
        return 0;
    }
    char *end = text;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < 0 || value > most) {
        log_line(host, BGT_LOG_ERROR, "setting %s is \"%s\"; it must be a whole number from 0 to %s", key, text,
                 grouped(most).text);
        return -1;
    }
    *out = value;
    return 0;
}

static int read_check(const bgt_host *host, int64_t *checks_fully) {
    char text[16];
    const int read = read_text(host, "check", "quick", text, sizeof text);
    *checks_fully = strcmp(text, "full") == 0;
    if (read == 0 && (*checks_fully || strcmp(text, "quick") == 0)) {
        return 0;
    }
    log_line(host, BGT_LOG_ERROR, "setting check is \"%s\"; it must be quick or full", text);
    return -1;
}

/* A relative path is resolved inside the container, because the host sets the working directory. */
static int read_database(const bgt_host *host, char *out, size_t capacity) {
    char path[2048];
    char container[2048];
    const int read = read_text(host, "database", "files.sqlite", path, sizeof path);
    if (path[0] == '/') {
        snprintf(out, capacity, "%s", path);
        return read;
    }
    if (bgt_container_path(host, container, sizeof container, NULL) != BGT_OK) {
        log_line(host, BGT_LOG_ERROR, "the container's path is longer than %zu bytes", sizeof container - 1);
        return -1;
    }
    snprintf(out, capacity, "%s/%s", container, path);
    return read;
}

int settings_read(const bgt_host *host, struct settings *out) {
    memset(out, 0, sizeof *out);
    int bad = read_database(host, out->database, sizeof out->database);
    bad |= read_text(host, "table", "files", out->table, sizeof out->table);
    bad |= read_text(host, "age-column", "modified", out->age_column, sizeof out->age_column);
    bad |= read_number(host, "keep-days", 90, 36500, &out->keep_days);
    bad |= read_number(host, "batch-rows", 1000, 1000000, &out->batch_rows);
    bad |= read_number(host, "pause-ms", 0, 60000, &out->pause_ms);
    bad |= read_number(host, "every-minutes", 1440, 525600, &out->every_minutes);
    bad |= read_number(host, "vacuum-every-minutes", 10080, 525600, &out->vacuum_every_minutes);
    bad |= read_number(host, "resume-minutes", 15, 525600, &out->resume_minutes);
    bad |= read_check(host, &out->checks_fully);
    if (out->batch_rows == 0) {
        log_line(host, BGT_LOG_ERROR, "setting batch-rows is 0; a batch must hold at least 1 row");
        bad = -1;
    }
    return bad;
}
