/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * A library without any use of bgtask: a few typical library functions. */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes a greeting to a file of that name in a directory; returns the length of the text, or -1. */
int64_t plain_greet(const char *directory, const char *name, const char *greeting, const void *more, size_t count) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "a");
    if (!file) return -1;
    int64_t length = fprintf(file, "%s, ", greeting);
    length += (int64_t)fwrite(more, 1, count, file);
    fputc('\n', file);
    return fclose(file) == 0 ? length + 1 : -1;
}

/* Works until the cancel flag is set, and writes whether time was left. */
int32_t plain_poll(const int32_t *cancel, int64_t milliseconds, char *report, size_t size, int64_t *rounds) {
    const _Atomic int32_t *flag = (const _Atomic int32_t *)cancel;
    while (!atomic_load(flag)) {
        ++*rounds;
        usleep(1000);
    }
    snprintf(report, size, "stopped\x1b[2J with %s", milliseconds > 0 ? "time given" : "none");
    return 0;
}

/* Never returns, and has no cancel flag. */
void plain_stay(void) {
    for (;;) pause();
}

/* Takes a string: called with a number, it reads an invalid address. */
int32_t plain_length(const char *text) {
    return (int32_t)strlen(text);
}

/* Returns the size of a file, or -1 without one. */
int64_t plain_size(const char *path) {
    FILE *file = path == NULL ? NULL : fopen(path, "r");
    if (!file) return -1;
    fseek(file, 0, SEEK_END);
    const int64_t size = ftell(file);
    fclose(file);
    return size;
}

int32_t plain_fail(void) {
    errno = ENOSPC;
    return -1;
}

void *plain_make(int32_t works) {
    static int32_t made;
    return works ? &made : NULL;
}
