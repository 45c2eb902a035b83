/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * System calls that Glibc's Swift module lacks, or that must run between clone and exec, where Swift code is not
 * allowed. They have no state and no policy. A function that can fail returns a negative errno. */
#ifndef CLINUX_H
#define CLINUX_H

#include "bgl_encryption.h"
#include "bgl_library.h"
#include "bgl_memory.h"
#include "bgl_netlink.h"
#include "bgl_poll.h"
#include "bgl_process.h"
#include "bgl_sandbox.h"
#include "bgl_spawn.h"
#include "bgl_stream.h"
#include "bgl_text.h"
#include "bgl_timer.h"
#include "bgl_tree.h"

#endif
