/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Exports the entry symbol but has no note. The host refuses the library by its file; none of its code runs. */

#include <bgtask.h>

#include <stdio.h>
#include <stdlib.h>

/* Would leave a trace, and a crash, if the library were loaded. */
__attribute__((__constructor__)) static void construct(void) {
    fputs("code of a refused library ran\n", stderr);
    abort();
}

__attribute__((__visibility__("default"))) int32_t bgtask_plugin_entry(const bgt_host *host, bgt_plugin *plugin);

int32_t bgtask_plugin_entry(const bgt_host *host, bgt_plugin *plugin) {
    (void)host, (void)plugin;
    return BGT_OK;
}
