/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* A plugin for the major versions 1 and 2. */

#include "Notes.h"

NOTE(later, 2, 0);

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete_with_message(host, task, BGT_OUTCOME_SUCCESS, "entered through major 1");
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.twomajors.task", run, NULL);
}

EXPORTED int32_t bgtask_plugin_entry_2(const void *host, void *plugin);
EXPORTED int32_t bgtask_plugin_entry_2(const void *host, void *plugin) {
    (void)host, (void)plugin;
    return -2;
}
