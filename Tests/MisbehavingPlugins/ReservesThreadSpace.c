/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Built with -ftls-model=initial-exec, it keeps its variable in space that the loader reserved at the program's start. */

#include <bgtask.h>

static __thread int calls;

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)host;
    (void)plugin;
    calls += 1;
    return calls > 0 ? BGT_OK : BGT_INVALID;
}
