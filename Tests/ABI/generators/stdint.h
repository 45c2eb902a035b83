/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Stands for <stdint.h>, in the subset of C that generators of bindings read. */
typedef unsigned char uint8_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
