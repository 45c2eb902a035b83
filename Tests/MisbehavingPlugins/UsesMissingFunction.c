/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Calls a function that no library defines. The loader refuses the library in every launch. */

#include <bgtask.h>

int32_t missing_function(void);

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)host, (void)plugin;
    return missing_function();
}
