/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_LIBRARY_H
#define BGL_LIBRARY_H

/* Whether the loaded library that contains the address exports the symbol: 1 or 0. 0 for an address outside of every
 * library. */
int bgl_library_has(const void *address, const char *symbol);

#endif
