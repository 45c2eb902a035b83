/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_SPAWN_H
#define BGL_SPAWN_H

#include <stdint.h>
#include <sys/types.h>

/* What a new process is to be. Everything is borrowed for the call. */
struct bgl_spawn {
    /* An open file, executed as it is: its path is never looked up again. */
    int executable;
    /* Both end with NULL. */
    const char *const *arguments;
    const char *const *environment;
    /* The child's descriptors 0, 1, 2 ... in this order; it gets no others. At most BGL_SPAWN_DESCRIPTORS. */
    const int *descriptors;
    int descriptor_count;
    /* The folder of a cgroup v2 to start in, or -1. */
    int cgroup;
    /* Becomes RLIMIT_RTTIME, soft and hard; 0 leaves that limit alone. See bgl_mark_of. */
    uint64_t mark;
    /* Not 0: a crash leaves no core file, unless the process itself wants one. */
    int32_t leaves_no_core;
};

enum { BGL_SPAWN_DESCRIPTORS = 8 };

/* How far a spawn came that failed. */
enum {
    BGL_STAGE_CLONE = 1,
    BGL_STAGE_SETUP = 2,
    BGL_STAGE_EXEC = 3,
};

struct bgl_spawned {
    pid_t pid;
    /* Close-on-exec; the caller closes it. */
    int pidfd;
    /* 0 when the system refused; the process runs all the same. */
    int32_t is_in_cgroup;
    int32_t is_marked;
    int32_t failed_stage;
};

/* Starts a process in a session of its own that dies with the calling thread; returns when its program has been
 * executed. The thread is blocked meanwhile and must live as long as the process may: PR_SET_PDEATHSIG watches threads.
 * 0, or a negative errno with `failed_stage` set and no process left behind. */
int bgl_spawn(const struct bgl_spawn *spawn, struct bgl_spawned *spawned);

#endif
