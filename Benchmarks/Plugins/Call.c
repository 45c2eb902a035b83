/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * The cost of libffi: nanoseconds of one call of a function, directly and through libffi, with the seven arguments
 * of a handler that trims logs. Prints the best of a thousand tries of each, to exclude disturbances by other
 * programs. */
#include <ffi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { TRIES = 1000, CALLS = 2000 };

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int32_t trim(const char *directory, const char *pattern, int64_t limit, int32_t pause, int32_t *cancel,
                    int64_t *freed, char *report) {
    *freed += limit + pause + *cancel + (directory == pattern) + (report == directory);
    return 0;
}

/* Called through a volatile pointer, so that no compiler optimizes across the call. */
static int32_t (*volatile function)(const char *, const char *, int64_t, int32_t, int32_t *, int64_t *, char *) = trim;

int main(void) {
    const char *directory = "/var/log/app", *pattern = "*.log";
    int64_t limit = 1048576, freed = 0, *left = &freed;
    int32_t pause = 0, flag = 0, *cancel = &flag;
    char text[64] = "", *report = text;

    ffi_type *types[] = {&ffi_type_pointer, &ffi_type_pointer, &ffi_type_sint64, &ffi_type_sint32,
                         &ffi_type_pointer, &ffi_type_pointer, &ffi_type_pointer};
    void *values[] = {&directory, &pattern, &limit, &pause, &cancel, &left, &report};
    ffi_cif interface;
    if (ffi_prep_cif(&interface, FFI_DEFAULT_ABI, 7, &ffi_type_sint32, types) != FFI_OK) return 1;

    double plain = 1e9, bound = 1e9;
    for (int try = 0; try < TRIES; try++) {
        int64_t start = now_ns();
        for (int call = 0; call < CALLS; call++) function(directory, pattern, limit, pause, cancel, left, report);
        const double plain_now = (double)(now_ns() - start) / CALLS;
        if (plain_now < plain) plain = plain_now;

        ffi_arg result;
        start = now_ns();
        for (int call = 0; call < CALLS; call++) ffi_call(&interface, FFI_FN(function), &result, values);
        const double bound_now = (double)(now_ns() - start) / CALLS;
        if (bound_now < bound) bound = bound_now;
    }
    printf("%.1f %.1f\n", plain, bound);
    return freed == 0;
}
