/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE

#include "try_host.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SECRETS_MAX = 16, PATH_BYTES = 4096 };

static volatile sig_atomic_t is_expiring;
static const char *secrets[SECRETS_MAX];
static size_t secret_count;
static int shows_progress;

static void expire(int number) {
    (void)number;
    is_expiring = 1;
}

void try_begin(void) {
    signal(SIGTERM, expire);
    setvbuf(stdout, NULL, _IOLBF, 0);
}

void try_show_progress(void) { shows_progress = 1; }

void try_add_secret(const char *text) {
    if (secret_count < SECRETS_MAX) {
        secrets[secret_count++] = text;
    }
}

int try_secret(void *context, const char *key, char *buffer, size_t capacity) {
    const size_t length = strlen(key);
    (void)context;
    for (size_t i = 0; i < secret_count; i++) {
        const char *value = secrets[i] + length + 1;
        if (strncmp(secrets[i], key, length) == 0 && secrets[i][length] == '=' && strlen(value) < capacity) {
            memcpy(buffer, value, strlen(value) + 1);
            return 0;
        }
    }
    return -1;
}

static const char *path_of(bgt_task task) { return (const char *)(uintptr_t)task; }

static size_t read_cursor(void *context, bgt_task task, uint8_t *bytes, size_t capacity) {
    char path[PATH_BYTES];
    (void)context;
    snprintf(path, sizeof path, "%s.cursor", path_of(task));
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? 0 : read(file, bytes, capacity);
    if (file >= 0) {
        close(file);
    }
    return length > 0 ? (size_t)length : 0;
}

static int write_cursor(void *context, bgt_task task, const uint8_t *bytes, size_t length, int is_durable) {
    char path[PATH_BYTES];
    char fresh[PATH_BYTES];
    (void)context;
    snprintf(path, sizeof path, "%s.cursor", path_of(task));
    snprintf(fresh, sizeof fresh, "%s.cursor~", path_of(task));
    const int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) {
        return -1;
    }
    const int is_written = write(file, bytes, length) == (ssize_t)length && (!is_durable || fsync(file) == 0);
    close(file);
    return is_written && rename(fresh, path) == 0 ? 0 : -1;
}

static void set_progress(void *context, bgt_task task, int64_t completed, int64_t total) {
    (void)context;
    if (!shows_progress) {
        return;
    }
    fprintf(stderr, "%s: progress %lld of %lld\n", path_of(task), (long long)completed, (long long)total);
}

static int expires(void *context, bgt_task task) {
    (void)context, (void)task;
    return is_expiring;
}

static void log_line(void *context, bgt_task task, uint32_t level, const char *message) {
    (void)context, (void)level;
    fprintf(stderr, "%s: %s\n", path_of(task), message);
}

static void ended(void *context, bgt_task task, const bgt_transfer_end *end) {
    (void)context;
    if (end == NULL) {
        printf("{\"description\": \"%s\", \"result\": 0}\n", path_of(task));
        return;
    }
    char message[MESSAGE_MAX];
    snprintf(message, sizeof message, "%s", end->message);
    for (char *at = message; *at != '\0'; at++) {
        *at = *at == '"' || *at == '\\' || (unsigned char)*at < ' ' ? '\'' : *at;
    }
    printf("{\"description\": \"%s\", \"result\": %u, \"fault\": %u, \"status\": %u, \"retry_after\": %lld, "
           "\"bytes\": %lld, \"total\": %lld, \"source_changes\": %u, \"restarts\": %u, \"message\": \"%s\"}\n",
           path_of(task), end->result, end->fault, end->http_status, (long long)end->retry_after_s,
           (long long)end->bytes, (long long)end->total, end->source_changes, end->restarts, message);
}

const struct transfer_host try_host = {NULL, read_cursor, write_cursor, set_progress, expires, log_line, ended};
