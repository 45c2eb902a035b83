/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef CSECCOMP_SHIM_H
#define CSECCOMP_SHIM_H

#include <errno.h>
#include <seccomp.h>

/* Actions as functions: Swift does not import macros with arguments. */
static inline uint32_t bgs_allow(void) { return SCMP_ACT_ALLOW; }
static inline uint32_t bgs_kill_process(void) { return SCMP_ACT_KILL_PROCESS; }
/* The kernel does not make the call, which returns 0. */
static inline uint32_t bgs_ignore(void) { return SCMP_ACT_ERRNO(0); }
static inline uint32_t bgs_refuse(int error) { return SCMP_ACT_ERRNO(error); }

#endif
