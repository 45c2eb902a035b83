/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef BGL_TEXT_H
#define BGL_TEXT_H

#include <stdint.h>

/* The number of terminal cells of a Unicode scalar, independent of the process's locale: 0, 1 or 2; -1 if the C library
 * does not define it. */
int bgl_cells(uint32_t scalar);

#endif
