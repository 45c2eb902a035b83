/* Part of bgtask, under the Apache License 2.0; see LICENSE. */
#define _GNU_SOURCE
#include "bgl_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

/* Since Linux 6.3. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int bgl_shared_memory(const char *name, uint64_t size) {
    int memory = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    if (memory < 0 && errno == EINVAL) memory = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0) return -errno;
    if (ftruncate(memory, (off_t)size) == 0
        && fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
        return memory;
    }
    int error = errno;
    close(memory);
    return -error;
}

void *bgl_map_shared(int memory, uint64_t size) {
    void *address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (address == MAP_FAILED) return NULL;
    /* A process that the plugin forks has no access. */
    (void)madvise(address, size, MADV_DONTFORK);
    return address;
}

int64_t bgl_read_at(int file, void *buffer, uint64_t size, uint64_t offset) {
    ssize_t count = pread(file, buffer, size, (off_t)offset);
    return count >= 0 ? count : -errno;
}

void bgl_return_freed_memory(void) {
    /* The allocator has up to eight arenas per processor, each with free memory of its own. */
    enum { ARENAS = 2, LARGE_BLOCK = 128 * 1024 };
    mallopt(M_ARENA_MAX, ARENAS);
    /* These are the initial values. Set, they stay: otherwise the first freed large block raises both limits. */
    mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK);
    mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK);
}
