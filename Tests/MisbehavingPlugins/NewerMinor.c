/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Its note requires minor 99. The host refuses the library from its bytes and says which minor it offers; nothing
 * of it runs. The header would not let a vendor do this by accident: it refuses a target beyond itself. */

#include <bgtask.h>

#include <stdio.h>
#include <stdlib.h>

#undef BGTASK_TARGET_MINOR
#define BGTASK_TARGET_MINOR 99

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
