/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * The work of Stamp, as a function without any use of bgtask: a manifest binds it. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>

int32_t bare_stamp(const char *directory) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);

    char path[4096];
    snprintf(path, sizeof path, "%s/stamps", directory);
    FILE *const file = fopen(path, "a");
    if (file == NULL) return -1;
    fprintf(file, "%lld\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    return fclose(file);
}
