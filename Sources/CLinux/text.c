/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#define _GNU_SOURCE
#include "bgl_text.h"

#include <locale.h>
#include <pthread.h>
#include <wchar.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t unicode;

/* This locale is built into the C library, so no file can be missing. */
static void make_unicode(void) { unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL); }

int bgl_cells(uint32_t scalar) {
    pthread_once(&once, make_unicode);
    if (unicode == (locale_t)0)
        return -1;
    /* The locale only changes for this thread, and is restored before other code runs. */
    const locale_t own = uselocale(unicode);
    const int cells = wcwidth((wchar_t)scalar);
    uselocale(own);
    return cells;
}
