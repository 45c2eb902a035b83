/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A plugin that requires a minor version of the far future. */

#include "Notes.h"

NOTE(note, 1, 99);

EXPORTED int32_t bgtask_plugin_entry(const bgt_host *host, bgt_plugin *plugin);
EXPORTED int32_t bgtask_plugin_entry(const bgt_host *host, bgt_plugin *plugin) {
    (void)host, (void)plugin;
    return BGT_OK;
}
