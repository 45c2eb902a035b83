/* Part of bgtask, under the Apache License 2.0; see LICENSE.
 *
 * Stands in for a failing disk below the ledger of the program into which it is preloaded. The file $FAULTY_DISK has two
 * numbers of 32 bits: the errno with which writes fail, and the one with which synchronizations fail; 0 for none. A third
 * number delays each synchronization by milliseconds. Other files than "ledger.sqlite" and its log are not affected. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const volatile struct {
    int32_t write_error;
    int32_t sync_error;
    int32_t sync_delay;
} *faults;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTY_DISK");
    const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof *faults, PROT_READ, MAP_SHARED, file, 0);
    faults = memory == MAP_FAILED ? NULL : memory;
    close(file);
}

static int is_ledger(int file) {
    char link[64];
    char path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return strstr(path, "/ledger.sqlite") != NULL && strstr(path, "-shm") == NULL;
}

/* Whether the call has to fail; sets errno. */
static int fails(int file, int32_t error) {
    if (error == 0 || !is_ledger(file)) return 0;
    errno = error;
    return 1;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    if (faults && fails(file, faults->write_error)) return -1;
    return syscall(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return pwrite64(file, bytes, count, offset); }

ssize_t write(int file, const void *bytes, size_t count) {
    if (faults && fails(file, faults->write_error)) return -1;
    return syscall(SYS_write, file, bytes, count);
}

int ftruncate64(int file, off64_t size) {
    if (faults && fails(file, faults->write_error)) return -1;
    return (int)syscall(SYS_ftruncate, file, size);
}

static int synchronize(int file, long call) {
    if (faults) {
        const int32_t delay = faults->sync_delay;
        if (delay > 0 && is_ledger(file)) usleep((useconds_t)delay * 1000);
        if (fails(file, faults->sync_error)) return -1;
    }
    return (int)syscall(call, file);
}

int fdatasync(int file) { return synchronize(file, SYS_fdatasync); }

int fsync(int file) { return synchronize(file, SYS_fsync); }
