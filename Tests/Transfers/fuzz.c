/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Searches for inputs that break a reader of the transfer library: descriptions, cursors, heads of answers, URLs.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -ITransfer -ISDK/Sources/CBackgroundTasks/include \
 *         Tests/Transfers/fuzz.c Transfer/{spec,spec_check,text,cursor,digest,response,decision,url}.c \
 *         -lcurl -lcrypto -o fuzz && ./fuzz -max_total_time=300 -max_len=5000
 */

#include "cursor.h"
#include "decision.h"
#include "spec.h"
#include "url.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void read_description(const char *text, size_t length) {
    struct spec spec;
    char flaw[SPEC_FLAW_MAX] = {0};
    (void)spec_read(&spec, text, length, flaw);
    spec_release(&spec);
}

/* A cursor that is accepted is the same after it was stored again. The check at its end is made right. */
static void read_cursor(const uint8_t *bytes, size_t length) {
    static const uint8_t mark[4] = {'B', 'T', 'C', 1};
    struct cursor cursor, again;
    uint8_t copy[CURSOR_MAX], check[DIGEST_SIZE];
    if (length < sizeof mark || length + 8 > sizeof copy) {
        return;
    }
    memcpy(copy, bytes, length);
    memcpy(copy, mark, sizeof mark);
    digest_of(copy, length, check);
    memcpy(copy + length, check, 8);
    if (cursor_decode(&cursor, copy, length + 8) == 0) {
        const size_t stored = cursor_encode(&cursor, copy);
        if (cursor_decode(&again, copy, stored) != 0 || again.offset != cursor.offset) {
            abort();
        }
    }
}

/* No answer appends bytes at another place than the offset. */
static void read_head(const char *text, size_t length) {
    struct response response;
    const struct question question = {.offset = 1000, .total = -1, .asked_range = 1, .validator.etag = "\"one\""};
    response_clear(&response);
    for (const char *end; length > 0; length -= (size_t)(end - text), text = end) {
        const char *newline = memchr(text, '\n', length);
        end = newline == NULL ? text + length : newline + 1;
        response_read_line(&response, text, (size_t)(end - text));
    }
    response_finish(&response);
    (void)response_retry_after(&response, 0);
    if (decide(&question, &response).action == ACTION_APPEND && response.range_start != 1000) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    char *text = malloc(length + 1);
    struct url url;
    if (text == NULL || length == 0) {
        free(text);
        return 0;
    }
    memcpy(text, bytes + 1, length - 1);
    text[length - 1] = '\0';
    switch (bytes[0] % 4) {
    case 0: read_description(text, length - 1); break;
    case 1: read_cursor(bytes + 1, length - 1); break;
    case 2: read_head(text, length - 1); break;
    default: (void)url_read(&url, text); break;
    }
    free(text);
    return 0;
}
