/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Contains a plugin for ABI major 1, whose task succeeds, and the entry and note of one for major 2. */

#include <bgtask.h>

__asm__(".pushsection .note.bgtask, \"a\", %note\n.balign 4\n.long 7, 12, 1\n"
        ".ascii \"bgtask\\0\\0\"\n.long 2, 5, 6\n.popsection");

__attribute__((visibility("default"))) int32_t bgtask_plugin_entry_2(void) {
    return BGT_INVALID;
}

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    return bgt_register(host, "com.example.twomajors.task", run, NULL);
}
