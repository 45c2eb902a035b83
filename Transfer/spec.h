/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef TRANSFER_SPEC_H
#define TRANSFER_SPEC_H

#include <stddef.h>
#include <stdint.h>

enum {
    SPEC_FLAW_MAX = 256,
    SPEC_URL_MAX = 8192,
    SPEC_HEADERS_MAX = 64,
    SPEC_HEADER_BYTES_MAX = 16384,
    SPEC_PATH_MAX = 4096,
    SPEC_TEXT_MAX = 65536
};

struct spec_header {
    char *name;
    char *value;
    int is_secret;   /* not sent to another origin */
    int is_template; /* ${KEY} in the value stands for a secret setting */
};

/* One transfer, as its description names it. Strings are owned, and NULL when the description has no such line. */
struct spec {
    int is_upload;
    char *session;
    char *label;
    char *url;
    char *method; /* of an upload: PUT or POST */
    char *file;   /* of an upload: the source, relative to the container */
    char *part;   /* the incomplete file, relative to the container */
    char *target; /* the complete file */
    struct spec_header headers[SPEC_HEADERS_MAX];
    size_t header_count;
    size_t header_bytes;
    int64_t size; /* expected bytes; -1: not known */
    int has_sha256;
    uint8_t sha256[32];
    int64_t rate;    /* bytes per second; 0: no limit */
    int64_t reserve; /* bytes of free space to leave */
    int permits_private;
    uint32_t fault; /* BGT_TRANSFER_...; of a description that spec_read refused */
};

/* Reads a description. Returns 0, or -1 with the flaw in `flaw`, at most SPEC_FLAW_MAX bytes. Release the spec in both
 * cases. */
int spec_read(struct spec *spec, const char *text, size_t length, char *flaw);

/* Checks the rules beyond single lines. Returns 0, or -1 with the flaw. */
int spec_check(const struct spec *spec, char *flaw);

/* Whether a path stays within the container: relative, without empty parts, `.` and `..`. */
int spec_is_inner_path(const char *path);

/* The value of the secret setting `key` in `buffer`; -1 when there is none, or it does not fit. */
typedef int (*spec_secret)(void *context, const char *key, char *buffer, size_t capacity);

/* Replaces each ${KEY} in the values of secret headers. Returns 0, or -1 with the flaw. */
int spec_fill_secrets(struct spec *spec, spec_secret secret, void *context, char *flaw);

void spec_release(struct spec *spec);

#endif
