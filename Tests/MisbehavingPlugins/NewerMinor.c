/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its note requires minor 99. The host refuses the library by its file, naming the offered minor; none of its code
 * runs. A vendor cannot cause this by accident: the header refuses a target beyond its own minor. */

#include <bgtask.h>

#include <stdio.h>
#include <stdlib.h>

#undef BGTASK_PLUGIN_NOTE
#define BGTASK_PLUGIN_NOTE                                                                                             \
    __asm__(".pushsection .note.bgtask, \"a\", %note\n.balign 4\n.long 7, 12, 1\n"                                      \
            ".ascii \"bgtask\\0\\0\"\n.long 1, 99, 99\n.popsection")

/* Would leave a trace, and a crash, if the library were loaded. */
__attribute__((__constructor__)) static void construct(void) {
    fputs("code of a refused library ran\n", stderr);
    abort();
}

static void succeed(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    BGTASK_TRY(bgt_register(host, "com.example.newerminor.task", succeed, NULL));
    return BGT_OK;
}
