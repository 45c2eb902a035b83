/* Part of bgtask, under the Apache License 2.0; see LICENSE. */

/* Attacks the ledger, the control socket and the network from the resolver of an indirect function. The loader runs
 * the resolver while it relocates the library, before every constructor, so that the resolver calls no function of
 * another library: it makes system calls by instructions, and its data needs no relocation. The handler writes a line
 * `resolver ATTACK ERRNO` per attack to `attacks.txt` in the container; 0 is a success. */

#include <bgtask.h>

#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

enum { MOST = 16 };

static struct {
    const char *attack;
    int error;
} found[MOST];
static int count;
static char maps[1 << 16];
static char base[1024];

/* Makes a system call. Returns its value, or the negative number of its error. */
static long call(long number, long first, long second, long third, long fourth) {
#if defined(__x86_64__)
    long result;
    register long r10 __asm__("r10") = fourth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10)
                     : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
#else
#error "no system calls for this architecture"
#endif
}

static void note(const char *attack, long status) {
    if (count == MOST) return;
    found[count].attack = attack;
    found[count].error = status < 0 ? (int)-status : 0;
    count++;
}

static long made(long file) {
    if (file >= 0) call(SYS_close, file, 0, 0, 0);
    return file;
}

static long opened(const char *path, int flags) {
    return made(call(SYS_openat, AT_FDCWD, (long)path, flags | O_CLOEXEC, 0600));
}

static int is_at(const volatile char *text, const volatile char *word) {
    while (*word != '\0' && *text == *word) {
        text++;
        word++;
    }
    return *word == '\0';
}

/* Copies the path of the ledger to `base`, which follows from the path of this library: BASE/plugins/libNAME.so. The
 * characters are volatile, so that the compiler makes no call of a function for strings from the loops. */
static void find_ledger(void) {
    const long file = call(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    long length = 0, part;
    while ((part = call(SYS_read, file, (long)(maps + length), (long)sizeof maps - 1 - length, 0)) > 0) length += part;
    made(file);
    long name = 0;
    while (name < length && !is_at(maps + name, "/plugins/libAttacksFromResolver.so")) name++;
    long start = name;
    while (start > 0 && maps[start - 1] != ' ') start--;
    const volatile char *rest = "/state/ledger/ledger.sqlite";
    volatile char *path = base;
    if (name == length || name - start > 900) return;
    while (start < name) *path++ = maps[start++];
    while (*rest != '\0') *path++ = *rest++;
}

static void attack(void) {
    int pair[2];
    find_ledger();
    note("ledger-write", opened(base, O_RDWR));
    note("ledger-read", opened(base, O_RDONLY));
    note("ledger-truncate", call(SYS_truncate, (long)base, 1 << 30, 0, 0));
    note("unix", made(call(SYS_socket, AF_UNIX, SOCK_STREAM, 0, 0)));
    note("unix-datagrams", call(SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, (long)pair));
    note("internet-stream", made(call(SYS_socket, AF_INET, SOCK_STREAM, 0, 0)));
    note("internet-datagrams", made(call(SYS_socket, AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0)));
    note("internet-raw", made(call(SYS_socket, AF_INET, SOCK_RAW, 1, 0)));
    note("packets", made(call(SYS_socket, AF_PACKET, SOCK_RAW, 0, 0)));
    note("netlink-audit", made(call(SYS_socket, AF_NETLINK, SOCK_RAW, NETLINK_AUDIT, 0)));
    note("vsock", made(call(SYS_socket, AF_VSOCK, SOCK_STREAM, 0, 0)));
}

static int attacks(void) { return count; }

typedef int (*counting)(void);

__attribute__((used)) static counting resolve(void) {
    attack();
    return attacks;
}

static int attacks_of_resolver(void) __attribute__((ifunc("resolve")));

static void run(void *context, const bgt_host *host, bgt_task task) {
    (void)context;
    char path[2048];
    int32_t outcome = BGT_OUTCOME_FAILURE;
    const int number = attacks_of_resolver();
    if (bgt_container_path(host, path, sizeof path - 32, NULL) == BGT_OK) {
        FILE *file = fopen(strcat(path, "/attacks.txt"), "w");
        for (int index = 0; file != NULL && index < number; index++) {
            fprintf(file, "resolver %s %d\n", found[index].attack, found[index].error);
        }
        if (file != NULL && fclose(file) == 0) outcome = BGT_OUTCOME_SUCCESS;
    }
    bgt_complete(host, task, outcome);
}

BGTASK_PLUGIN_ENTRY(host, plugin) {
    (void)plugin;
    BGTASK_TRY(bgt_register(host, "com.example.attacksfromresolver.task", run, NULL));
    return BGT_OK;
}
