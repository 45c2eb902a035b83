/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Reads the description of a transfer. Unknown and repeated lines are refused: the host wrote the description, so that
 * such a line belongs to a newer host. */

#define _GNU_SOURCE

#include "spec.h"

#include "text.h"
#include "transfer_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int flawed(char *flaw, const char *format, const char *value) {
    snprintf(flaw, SPEC_FLAW_MAX, format, value);
    return -1;
}

static int read_string(char **place, const char *key, const char *value, char *flaw) {
    if (*place != NULL) {
        return flawed(flaw, "the description has the line %s twice", key);
    }
    *place = strdup(value);
    return *place == NULL ? flawed(flaw, "memory is short%s", "") : 0;
}

static int read_number(int64_t *place, const char *key, const char *value, char *flaw) {
    if (text_number(value, place) != 0) {
        return flawed(flaw, "the value of %s is not a whole number of bytes", key);
    }
    return 0;
}

/* Headers that decide about resuming or about the framing of messages, or address another server. */
static int is_reserved(const char *name) {
    static const char *const names[] = {
        "host", "range", "if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since",
        "content-length", "content-range", "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade",
        "expect", "proxy-authorization", "proxy-connection", "accept-encoding",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (text_is_same_word(name, names[i])) {
            return 1;
        }
    }
    return 0;
}

/* A vendor may write credentials into an ordinary header; they are no less secret. */
static int is_always_secret(const char *name) {
    return text_is_same_word(name, "authorization") || text_is_same_word(name, "cookie");
}

static int read_header(struct spec *spec, char *line, int is_secret, char *flaw) {
    char *colon = strchr(line, ':');
    if (colon == NULL || colon[1] != ' ') {
        /* The line may be a secret. */
        snprintf(flaw, SPEC_FLAW_MAX, "the header number %zu has no colon and space between name and value",
                 spec->header_count + 1);
        return -1;
    }
    *colon = '\0';
    const char *value = colon + 2;
    if (!text_is_token(line)) {
        snprintf(flaw, SPEC_FLAW_MAX, "the name of the header number %zu is not a token of HTTP",
                 spec->header_count + 1);
        return -1;
    }
    if (is_reserved(line)) {
        return flawed(flaw, "the header %.64s is set by the transfer itself; leave it out", line);
    }
    if (!text_is_printable(value)) {
        return flawed(flaw, "the value of the header %.64s has a control character", line);
    }
    spec->header_bytes += strlen(line) + strlen(value) + 4;
    if (spec->header_count == SPEC_HEADERS_MAX || spec->header_bytes > SPEC_HEADER_BYTES_MAX) {
        return flawed(flaw, "the transfer has too many or too long headers; at most 64 with 16384 bytes%s", "");
    }
    struct spec_header *header = &spec->headers[spec->header_count++];
    header->name = strdup(line);
    header->value = strdup(value);
    header->is_secret = is_secret || is_always_secret(line);
    header->is_template = is_secret;
    return header->name == NULL || header->value == NULL ? flawed(flaw, "memory is short%s", "") : 0;
}

static int read_digest(struct spec *spec, const char *value, char *flaw) {
    spec->has_sha256 = 1;
    if (strlen(value) != 64 || text_hexadecimal(value, spec->sha256, sizeof spec->sha256) != 0) {
        return flawed(flaw, "the SHA-256 is not 64 hexadecimal digits%s", "");
    }
    return 0;
}

static int read_flag(int *place, const char *key, const char *value, char *flaw) {
    *place = 1;
    return strcmp(value, "1") == 0 ? 0 : flawed(flaw, "the value of %s is not 1", key);
}

static int read_kind(struct spec *spec, const char *value, char *flaw) {
    spec->is_upload = strcmp(value, "upload") == 0;
    return spec->is_upload || strcmp(value, "download") == 0 ? 0 : flawed(flaw, "the kind is unknown: %.64s", value);
}

/* Keys whose line may appear once. */
static const char *const keys[] = {
    "kind", "session", "label", "url", "method", "file", "size", "sha256", "discretionary", "host-part", "host-file",
    "host-rate", "host-private", "host-reserve",
};
enum { KEYS = sizeof keys / sizeof *keys };

static int read_value(struct spec *spec, size_t key, const char *value, char *flaw) {
    int is_discretionary = 0; /* the host's concern */
    switch (key) {
    case 0: return read_kind(spec, value, flaw);
    case 1: return read_string(&spec->session, keys[key], value, flaw);
    case 2: return read_string(&spec->label, keys[key], value, flaw);
    case 3: return read_string(&spec->url, keys[key], value, flaw);
    case 4: return read_string(&spec->method, keys[key], value, flaw);
    case 5: return read_string(&spec->file, keys[key], value, flaw);
    case 6: return read_number(&spec->size, keys[key], value, flaw);
    case 7: return read_digest(spec, value, flaw);
    case 8: return read_flag(&is_discretionary, keys[key], value, flaw);
    case 9: return read_string(&spec->part, keys[key], value, flaw);
    case 10: return read_string(&spec->target, keys[key], value, flaw);
    case 11: return read_number(&spec->rate, keys[key], value, flaw);
    case 12: return read_flag(&spec->permits_private, keys[key], value, flaw);
    default: return read_number(&spec->reserve, keys[key], value, flaw);
    }
}

static int read_line(struct spec *spec, char *line, unsigned *seen, char *flaw) {
    char *value = strstr(line, ": ");
    if (value == NULL) {
        return flawed(flaw, "a line of the description has no colon and space: %.64s", line);
    }
    *value = '\0';
    value += 2;
    if (strcmp(line, "header") == 0 || strcmp(line, "secret-header") == 0) {
        spec->fault = BGT_TRANSFER_HEADER_INVALID;
        const int result = read_header(spec, value, line[0] == 's', flaw);
        spec->fault = result == 0 ? BGT_TRANSFER_URL_INVALID : spec->fault;
        return result;
    }
    for (size_t key = 0; key < KEYS; key++) {
        if (strcmp(line, keys[key]) != 0) {
            continue;
        }
        if (*seen & 1u << key) {
            return flawed(flaw, "the description has the line %s twice", keys[key]);
        }
        *seen |= 1u << key;
        return text_is_printable(value) ? read_value(spec, key, value, flaw)
                                        : flawed(flaw, "the value of %s has a control character", keys[key]);
    }
    return flawed(flaw, "the description has an unknown line: %.64s", line);
}

int spec_read(struct spec *spec, const char *text, size_t length, char *flaw) {
    unsigned seen = 0;
    memset(spec, 0, sizeof *spec);
    spec->size = -1;
    spec->fault = BGT_TRANSFER_URL_INVALID;
    if (length > SPEC_TEXT_MAX || memchr(text, '\0', length) != NULL) {
        return flawed(flaw, "the description is too long or has a NUL%s", "");
    }
    char *copy = strndup(text, length);
    if (copy == NULL) {
        return flawed(flaw, "memory is short%s", "");
    }
    int result = 0;
    char *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL && result == 0; line = strtok_r(NULL, "\n", &rest)) {
        result = read_line(spec, line, &seen, flaw);
    }
    free(copy);
    if (result == 0 && (seen & 1u) == 0) {
        result = flawed(flaw, "the description has no line kind%s", "");
    }
    return result == 0 ? spec_check(spec, flaw) : result;
}
