/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The rules of a description beyond its single lines, the secrets of its headers, and its release. */

#define _GNU_SOURCE

#include "spec.h"

#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int flawed(char *flaw, const char *message) {
    snprintf(flaw, SPEC_FLAW_MAX, "%s", message);
    return -1;
}

int spec_is_inner_path(const char *path) {
    const char *at = path;
    if (strlen(path) > SPEC_PATH_MAX) {
        return 0;
    }
    for (;;) {
        const size_t length = strcspn(at, "/");
        const int is_dots = at[0] == '.' && (length == 1 || (length == 2 && at[1] == '.'));
        if (length == 0 || is_dots) {
            return 0;
        }
        if (at[length] == '\0') {
            return 1;
        }
        at += length + 1;
    }
}

static int check_upload(const struct spec *spec, char *flaw) {
    if (spec->size >= 0 || spec->has_sha256) {
        return flawed(flaw, "an upload names an expected size or SHA-256; only a download has them");
    }
    if (spec->method != NULL && strcmp(spec->method, "PUT") != 0 && strcmp(spec->method, "POST") != 0) {
        return flawed(flaw, "the method of an upload is neither PUT nor POST");
    }
    if (spec->file == NULL || !spec_is_inner_path(spec->file)) {
        return flawed(flaw, "the file of the upload is not a path within the container");
    }
    return 0;
}

int spec_check(const struct spec *spec, char *flaw) {
    if (spec->url == NULL || spec->session == NULL || spec->part == NULL || spec->target == NULL) {
        return flawed(flaw, "the description lacks the line url, session, host-part or host-file");
    }
    if (strlen(spec->url) > SPEC_URL_MAX) {
        return flawed(flaw, "the URL has more than 8192 bytes");
    }
    if (!spec_is_inner_path(spec->part) || !spec_is_inner_path(spec->target)) {
        return flawed(flaw, "host-part or host-file is not a path within the container");
    }
    const char *slash = strrchr(spec->part, '/');
    const size_t directory = slash == NULL ? 0 : (size_t)(slash - spec->part) + 1;
    if (strncmp(spec->part, spec->target, directory) != 0 || strchr(spec->target + directory, '/') != NULL) {
        return flawed(flaw, "host-part and host-file are not in one directory");
    }
    if (spec->is_upload) {
        return check_upload(spec, flaw);
    }
    return spec->method != NULL || spec->file != NULL ? flawed(flaw, "a download names a method or a file") : 0;
}

/* Appends to the text of a value. Returns 0, or -1 when it does not fit. */
static int append(char *value, size_t *length, const char *text, size_t count) {
    if (*length + count >= SPEC_HEADER_BYTES_MAX) {
        return -1;
    }
    memcpy(value + *length, text, count);
    *length += count;
    value[*length] = '\0';
    return 0;
}

/* The flaw names the key, never a value. */
static int fill(const char *template, char *value, spec_secret secret, void *context, char *flaw) {
    size_t length = 0;
    value[0] = '\0';
    while (*template != '\0') {
        const char *start = strstr(template, "${");
        const char *end = start == NULL ? NULL : strchr(start, '}');
        const size_t plain = end == NULL ? strlen(template) : (size_t)(start - template);
        if (append(value, &length, template, plain) != 0) {
            return flawed(flaw, "a secret header is too long");
        }
        if (end == NULL) {
            return 0;
        }
        char key[256] = {0};
        char found[SPEC_HEADER_BYTES_MAX];
        const size_t key_length = (size_t)(end - start) - 2;
        if (key_length < sizeof key) {
            memcpy(key, start + 2, key_length);
        }
        const int has_value = key[0] != '\0' && secret(context, key, found, sizeof found) == 0;
        if (!has_value) {
            explicit_bzero(found, sizeof found);
            snprintf(flaw, SPEC_FLAW_MAX, "the setting %.64s, which a secret header names, is missing", key);
            return -1;
        }
        const int fits = append(value, &length, found, strlen(found)) == 0;
        explicit_bzero(found, sizeof found);
        if (!fits) {
            return flawed(flaw, "a secret header is too long");
        }
        template = end + 1;
    }
    return 0;
}

int spec_fill_secrets(struct spec *spec, spec_secret secret, void *context, char *flaw) {
    char value[SPEC_HEADER_BYTES_MAX];
    for (size_t i = 0; i < spec->header_count; i++) {
        struct spec_header *header = &spec->headers[i];
        if (strstr(header->value, "${") == NULL || !header->is_template) {
            continue;
        }
        if (fill(header->value, value, secret, context, flaw) != 0) {
            return -1;
        }
        if (!text_is_printable(value)) {
            snprintf(flaw, SPEC_FLAW_MAX, "a setting of the secret header %.64s has a control character", header->name);
            return -1;
        }
        char *copy = strdup(value);
        explicit_bzero(value, sizeof value);
        if (copy == NULL) {
            return flawed(flaw, "memory is short");
        }
        free(header->value);
        header->value = copy;
    }
    return 0;
}

void spec_release(struct spec *spec) {
    char *strings[] = {spec->session, spec->label, spec->url, spec->method, spec->file, spec->part, spec->target};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++) {
        free(strings[i]);
    }
    for (size_t i = 0; i < spec->header_count; i++) {
        free(spec->headers[i].name);
        if (spec->headers[i].value != NULL) {
            explicit_bzero(spec->headers[i].value, strlen(spec->headers[i].value));
        }
        free(spec->headers[i].value);
    }
    memset(spec, 0, sizeof *spec);
}
