/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#include "DatabaseCleaner.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void log_line(const bgt_host *host, uint32_t level, const char *format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    bgt_log(host, level, line);
}

struct grouped grouped(int64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, number);
    const size_t sign = number < 0 ? 1 : 0;
    const size_t length = strlen(digits);
    struct grouped result;
    char *end = result.text;
    for (size_t index = 0; index < length; index++) {
        if (index > sign && (length - index) % 3 == 0) {
            *end++ = ',';
        }
        *end++ = digits[index];
    }
    *end = '\0';
    return result;
}
