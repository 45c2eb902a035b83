/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A plugin of a later major version alone. */

#include "Notes.h"

NOTE(note, 2, 0);

EXPORTED int32_t bgtask_plugin_entry_2(const bgt_host *host, bgt_plugin *plugin);
EXPORTED int32_t bgtask_plugin_entry_2(const bgt_host *host, bgt_plugin *plugin) {
    (void)host, (void)plugin;
    return BGT_OK;
}
