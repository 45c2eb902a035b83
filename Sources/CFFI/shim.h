/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef CFFI_SHIM_H
#define CFFI_SHIM_H

#include <ffi.h>

#endif
