/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Stands for <stddef.h>; the header uses only its macros. */
