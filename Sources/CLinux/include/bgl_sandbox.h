/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#ifndef BGL_SANDBOX_H
#define BGL_SANDBOX_H

#include <stddef.h>
#include <stdint.h>

/* The number of threads of this process, or a negative errno. */
int bgl_thread_count(void);

/* Names the calling thread; at most 15 bytes are kept. */
void bgl_set_thread_name(const char *name);

/* Sets both values of a resource limit, or lowers them to the present hard limit. Returns 0, or a negative errno. */
int bgl_limit(int resource, uint64_t soft, uint64_t hard);

/* No program that this process executes gains privileges. Landlock and a filter require it. */
int bgl_refuse_new_privileges(void);

/* Drops every capability of the calling thread: only a host that runs as root has any. */
int bgl_drop_capabilities(void);

/* Creates a Landlock ruleset that refuses the rights in each set. Returns a descriptor, -EINVAL or -E2BIG when the
 * kernel lacks one of the rights, or another negative errno. */
int bgl_landlock_create(uint64_t files, uint64_t network, uint64_t scopes);

/* Version of the kernel's Landlock interface, or a negative errno. */
int bgl_landlock_version(void);

/* Grants rights below the file or directory that the descriptor stands for. */
int bgl_landlock_allow(int ruleset, int place, uint64_t rights);

/* Puts the calling thread under the ruleset, for ever. */
int bgl_landlock_restrict(int ruleset);

/* Whether the kernel filters system calls with an errno as answer. */
int bgl_filters_system_calls(void);

/* Loads a filter of system calls, an array of the kernel's struct sock_filter, for every thread and for ever. */
int bgl_load_system_call_filter(const void *filter, size_t size);

/* Opens a place without any access to its contents. `follows` is 0 to refuse a symbolic link at the end of the path. */
int bgl_open_place(const char *path, int follows);

#endif
