/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* mallinfo2, which Swift's Glibc module does not import. */
#include <malloc.h>
