/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Has the note but exports no entry. The host refuses the library by its file, naming the symbol; none of its code
 * runs. */

#include <bgtask.h>

#include <stdio.h>
#include <stdlib.h>

BGTASK_PLUGIN_NOTE;

/* Would leave a trace, and a crash, if the library were loaded. */
__attribute__((__constructor__)) static void construct(void) {
    fputs("code of a refused library ran\n", stderr);
    abort();
}
