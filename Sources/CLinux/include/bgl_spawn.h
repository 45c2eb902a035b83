/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_SPAWN_H
#define BGL_SPAWN_H

#include <stdint.h>
#include <sys/types.h>

/* Description of a process to start. All pointers are borrowed for the call. */
struct bgl_spawn {
    /* Descriptor of an open file to execute; its path is not resolved again. */
    int executable;
    /* Arguments and environment variables of the program. Both arrays end with NULL. */
    const char *const *arguments;
    const char *const *environment;
    /* The child's descriptors 0, 1, 2 ... in this order; it gets no others. At most BGL_SPAWN_DESCRIPTORS. */
    const int *descriptors;
    int descriptor_count;
    /* Descriptor of the directory of a cgroup v2 in which the process starts; -1 for the caller's cgroup. */
    int cgroup;
    /* Number that marks the process and its descendants, set as soft and hard RLIMIT_RTTIME; see bgl_mark_of. 0: no
     * mark, the limit stays unchanged. */
    uint64_t mark;
    /* Not 0: a crash leaves no core file, unless the process itself raises its limit. */
    int32_t leaves_no_core;
};

enum { BGL_SPAWN_DESCRIPTORS = 8 };

/* Stage at which a spawn failed. */
enum {
    BGL_STAGE_CLONE = 1,
    BGL_STAGE_SETUP = 2,
    BGL_STAGE_EXEC = 3,
};

struct bgl_spawned {
    pid_t pid;
    /* Close-on-exec; the caller closes it. */
    int pidfd;
    /* Whether the process is in the cgroup, and whether it carries the mark. 0 when the system refused this or the
     * caller requested none; the process runs all the same. */
    int32_t is_in_cgroup;
    int32_t is_marked;
    /* One of BGL_STAGE_...; 0 when the process was started. */
    int32_t failed_stage;
};

/* Starts a process in a session of its own. The process is killed when the calling thread ends. Returns when the
 * process has executed the program; the thread is blocked until then. The thread must live as long as the process,
 * because PR_SET_PDEATHSIG watches threads. Returns 0; or a negative errno with `failed_stage` set, and no process is
 * left. */
int bgl_spawn(const struct bgl_spawn *spawn, struct bgl_spawned *spawned);

#endif
