/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

#ifndef BGL_TEXT_H
#define BGL_TEXT_H

#include <stdint.h>

/* The cells that a terminal takes for a Unicode scalar, whatever the process's own locale: 0, 1 or 2; -1 for one that
 * the C library cannot place. */
int bgl_cells(uint32_t scalar);

#endif
