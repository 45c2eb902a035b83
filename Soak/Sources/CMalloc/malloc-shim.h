/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* mallinfo2: the module Glibc of Swift leaves it out. */
#include <malloc.h>
