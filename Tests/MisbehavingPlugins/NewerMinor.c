/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its note requires minor 99. The host refuses the library by its file, naming the offered minor; none of its code
 * runs. A vendor cannot cause this by accident: the header refuses a target beyond its own minor. */

#include <bgtask.h>

#include <stdio.h>
#include <stdlib.h>

/* After the include, only the note takes the changed target; the header's own check is passed with the same number. */
#undef BGTASK_TARGET_MINOR
#define BGTASK_TARGET_MINOR 99
#define BGTASK_TARGET_AT_INCLUDE_ BGTASK_TARGET_MINOR

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
