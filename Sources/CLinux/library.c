/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#define _GNU_SOURCE
#include "bgl_library.h"

#include <dlfcn.h>
#include <stddef.h>

int bgl_library_has(const void *address, const char *symbol) {
    Dl_info place;
    if (dladdr(address, &place) == 0 || place.dli_fname == NULL) {
        return 0;
    }
    void *library = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) {
        return 0;
    }
    const int found = dlsym(library, symbol) != NULL;
    dlclose(library);
    return found;
}
