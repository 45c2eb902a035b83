/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* The stored form: a mark with the version, the fields in order, and the first bytes of their SHA-256. */

#include "cursor.h"

#include "bytes.h"

#include <string.h>

static const uint8_t mark[4] = {'B', 'T', 'C', 1};
enum { CHECK_SIZE = 8 };

/* Writes fields, or reads them when `writes` is 0: one order for both. */
struct fields {
    uint8_t *at;
    const uint8_t *end;
    int writes;
    int has_failed;
};

static uint8_t *next(struct fields *fields, size_t count) {
    if ((size_t)(fields->end - fields->at) < count) {
        fields->has_failed = 1;
        return NULL;
    }
    uint8_t *place = fields->at;
    fields->at += count;
    return place;
}

static void field_bytes(struct fields *fields, uint8_t *bytes, size_t count) {
    uint8_t *place = next(fields, count);
    if (place != NULL) {
        memcpy(fields->writes ? place : bytes, fields->writes ? bytes : place, count);
    }
}

static void field64(struct fields *fields, int64_t *value) {
    uint8_t bytes[8];
    put64(bytes, (uint64_t)*value);
    field_bytes(fields, bytes, sizeof bytes);
    *value = (int64_t)get64(bytes);
}

static void field32(struct fields *fields, uint32_t *value) {
    uint8_t bytes[4];
    put32(bytes, *value);
    field_bytes(fields, bytes, sizeof bytes);
    *value = get32(bytes);
}

static void field_flag(struct fields *fields, int *value) {
    uint32_t number = *value != 0;
    field32(fields, &number);
    *value = number != 0;
}

static void field_string(struct fields *fields, char *text, size_t capacity) {
    uint32_t length = fields->writes ? (uint32_t)strlen(text) : 0;
    field32(fields, &length);
    if (length >= capacity) {
        fields->has_failed = 1;
        return;
    }
    field_bytes(fields, (uint8_t *)text, length);
    if (fields->has_failed || (!fields->writes && memchr(text, '\0', length) != NULL)) {
        fields->has_failed = 1;
        return;
    }
    text[length] = '\0';
}

static void all_fields(struct fields *fields, struct cursor *cursor) {
    field64(fields, &cursor->offset);
    field64(fields, &cursor->total);
    field64(fields, &cursor->best);
    field32(fields, &cursor->restarts);
    field32(fields, &cursor->source_changes);
    field32(fields, &cursor->restarts_without_progress);
    field_flag(fields, &cursor->has_source);
    field_bytes(fields, cursor->address, sizeof cursor->address);
    field_bytes(fields, cursor->place, sizeof cursor->place);
    field_string(fields, cursor->validator.etag, sizeof cursor->validator.etag);
    field_string(fields, cursor->validator.last_modified, sizeof cursor->validator.last_modified);
    field_bytes(fields, cursor->boot, sizeof cursor->boot);
    field_flag(fields, &cursor->has_expected);
    field_bytes(fields, cursor->expected, sizeof cursor->expected);
    field_bytes(fields, cursor->digest, sizeof cursor->digest);
}

void cursor_clear(struct cursor *cursor) {
    struct digest digest;
    memset(cursor, 0, sizeof *cursor);
    cursor->total = -1;
    digest_start(&digest);
    digest_save(&digest, cursor->digest);
}

size_t cursor_encode(const struct cursor *cursor, uint8_t bytes[CURSOR_MAX]) {
    struct cursor copy = *cursor;
    uint8_t check[DIGEST_SIZE];
    struct fields fields = {bytes + sizeof mark, bytes + CURSOR_MAX - CHECK_SIZE, 1, 0};
    memcpy(bytes, mark, sizeof mark);
    all_fields(&fields, &copy);
    digest_of(bytes, (size_t)(fields.at - bytes), check);
    memcpy(fields.at, check, CHECK_SIZE);
    return (size_t)(fields.at - bytes) + CHECK_SIZE;
}

static int is_consistent(const struct cursor *cursor) {
    struct digest digest;
    digest_load(&digest, cursor->digest);
    return cursor->offset >= 0 && cursor->total >= -1 && (cursor->total < 0 || cursor->offset <= cursor->total)
        && cursor->best >= cursor->offset && digest.bytes == (uint64_t)cursor->offset;
}

static int decode(struct cursor *cursor, const uint8_t *bytes, size_t length) {
    uint8_t copy[CURSOR_MAX];
    uint8_t check[DIGEST_SIZE];
    if (length > sizeof copy || length < sizeof mark + CHECK_SIZE || memcmp(bytes, mark, sizeof mark) != 0) {
        return -1;
    }
    digest_of(bytes, length - CHECK_SIZE, check);
    if (memcmp(check, bytes + length - CHECK_SIZE, CHECK_SIZE) != 0) {
        return -1;
    }
    memcpy(copy, bytes, length);
    struct fields fields = {copy + sizeof mark, copy + length - CHECK_SIZE, 0, 0};
    all_fields(&fields, cursor);
    return fields.has_failed || fields.at != fields.end || !is_consistent(cursor) ? -1 : 0;
}

int cursor_decode(struct cursor *cursor, const uint8_t *bytes, size_t length) {
    cursor_clear(cursor);
    if (decode(cursor, bytes, length) != 0) {
        cursor_clear(cursor);
        return -1;
    }
    return 0;
}
