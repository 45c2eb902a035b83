/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its code contains an address, which the loader has to write into it. */

#include <bgtask.h>

__asm__(".text\n.quad bgtask_plugin_entry");

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)host;
    (void)plugin;
    return BGT_OK;
}
