// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The system calls of a sandboxed plugin, by group. A call that neither a list nor a rule of `SystemCallRules` names
/// is answered with ENOSYS, as by an older kernel: the C library then uses its fallback. `clone3` and `openat2` are
/// left out on purpose: a filter cannot read their flags and modes, which are behind a pointer.
enum SystemCalls {
    /// Allowed to every plugin, with two exceptions: `FileCallRules` refuses some arguments of `fallocate`, `fchmod`,
    /// `fcntl`, `ioctl` and the calls that create files, and a plugin with grants of single ports may not use TCP Fast
    /// Open.
    static let allowed = files + memory + events + signals + time + threads + channels + information

    private static let files = [
        "access", "chdir", "close", "copy_file_range", "creat", "dup", "dup2", "dup3", "faccessat", "faccessat2",
        "fadvise64", "fadvise64_64", "fallocate", "fchdir", "fchmod", "fcntl", "fcntl64", "fdatasync",
        "fgetxattr", "flistxattr", "flock", "fstat", "fstat64", "fstatat64", "fstatfs", "fstatfs64", "fsync",
        "ftruncate", "ftruncate64", "getcwd", "getdents", "getdents64", "getxattr", "ioctl", "lgetxattr", "link",
        "linkat", "listxattr", "llistxattr", "lseek", "_llseek", "lstat", "lstat64", "mkdir", "mkdirat", "newfstatat",
        "pread64", "preadv", "preadv2", "pwrite64", "pwritev", "pwritev2", "read",
        "readahead", "readlink", "readlinkat", "readv", "rename", "renameat", "renameat2", "rmdir", "sendfile",
        "sendfile64", "splice", "stat", "stat64", "statfs", "statfs64", "statx", "symlink", "symlinkat",
        "sync_file_range", "syncfs", "tee", "umask", "unlink", "unlinkat", "vmsplice",
        "write", "writev",
    ]

    private static let memory = [
        "brk", "madvise", "membarrier", "memfd_create", "mincore", "mlock", "mlock2", "mmap", "mmap2", "mprotect",
        "mremap", "mseal", "msync", "munlock", "munmap", "pkey_alloc", "pkey_free", "pkey_mprotect",
    ]

    private static let events = [
        "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd",
        "eventfd2", "inotify_add_watch", "inotify_init", "inotify_init1", "inotify_rm_watch", "pipe", "pipe2", "poll",
        "ppoll", "pselect6", "select", "_newselect", "signalfd", "signalfd4", "timerfd_create", "timerfd_gettime",
        "timerfd_settime",
    ]

    /// Calls that send or receive signals. Landlock of Linux 6.12 or later confines the receivers of signals to the
    /// sandbox.
    private static let signals = [
        "kill", "pause", "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo",
        "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_tgsigqueueinfo", "sigaltstack", "tgkill", "tkill",
    ]

    private static let time = [
        "alarm", "clock_getres", "clock_gettime", "clock_nanosleep", "getitimer", "gettimeofday", "nanosleep",
        "setitimer", "time", "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime", "timer_settime",
        "times",
    ]

    private static let threads = [
        "arch_prctl", "exit", "exit_group", "futex", "futex_requeue", "futex_wait", "futex_waitv", "futex_wake",
        "get_robust_list", "get_thread_area", "gettid", "landlock_add_rule", "landlock_create_ruleset",
        "landlock_restrict_self", "rseq", "sched_getaffinity", "sched_getattr", "sched_get_priority_max",
        "sched_get_priority_min", "sched_getparam", "sched_getscheduler", "sched_rr_get_interval", "sched_yield",
        "set_robust_list", "set_thread_area", "set_tid_address", "wait4", "waitid", "waitpid",
    ]

    /// Calls that use existing sockets. Calls that create sockets are restricted by rules.
    private static let channels = [
        "getpeername", "getsockname", "getsockopt", "recv", "recvfrom", "recvmmsg", "recvmsg", "send", "sendmmsg",
        "sendmsg", "sendto", "setsockopt", "shutdown",
    ]

    private static let information = [
        "capget", "getcpu", "getegid", "geteuid", "getgid", "getgroups", "getpgid", "getpgrp", "getpid", "getppid",
        "getpriority", "getrandom", "getresgid", "getresuid", "getrlimit", "ioprio_get", "getrusage", "getsid",
        "getuid", "sysinfo", "ugetrlimit", "uname",
    ]

    /// Calls that truncate a file by its path. They are allowed only when Landlock confines truncation, from its
    /// version 3 on.
    static let truncating = ["truncate", "truncate64"]

    /// The calls that open a file with flags in an argument, where a filter can examine them; `flags` is the number of
    /// that argument.
    static let opening: [(call: String, flags: UInt32)] = [("open", 1), ("openat", 2)]

    /// Calls that are allowed with grants of sockets, in addition to creating sockets: all of them with `network` or
    /// `listen`, only `connect` with `connect` or `unix`.
    static let network = ["accept", "accept4", "bind", "connect", "listen"]

    /// Calls that are allowed with the grant `processes`, in addition to creating processes in the same namespaces.
    static let processes = [
        "execve", "execveat", "fork", "pidfd_open", "pidfd_send_signal", "setpgid", "setsid", "vfork",
    ]

    /// Refused with EPERM, whatever the grants.
    static let refused = [
        // Metadata by path, which Landlock does not cover; fchmod needs an opened file.
        "chmod", "chown", "chown32", "fchmodat", "fchmodat2", "fchown", "fchown32", "fchownat", "fremovexattr",
        "fsetxattr", "futimesat", "lchown", "lchown32", "lremovexattr", "lsetxattr", "mknod", "mknodat", "removexattr",
        "setxattr", "utime", "utimes", "name_to_handle_at", "open_by_handle_at", "fanotify_init", "fanotify_mark",
        "quotactl", "quotactl_fd", "sync", "lookup_dcookie", "file_getattr", "file_setattr",
        // A second interface to files and sockets, which passes by every filter.
        "io_uring_enter", "io_uring_register", "io_uring_setup", "io_cancel", "io_destroy", "io_getevents",
        "io_pgetevents", "io_setup", "io_submit",
        // Other processes.
        "kcmp", "pidfd_getfd", "process_madvise", "process_mrelease", "process_vm_readv", "process_vm_writev",
        "ptrace", "migrate_pages", "move_pages", "mbind", "set_mempolicy", "set_mempolicy_home_node",
        "sched_setattr", "sched_setparam", "sched_setscheduler",
        "semctl", "semget", "semop", "semtimedop", "shmat", "shmctl", "shmdt", "shmget", "msgctl", "msgget", "msgrcv",
        "msgsnd", "ipc", "mq_getsetattr", "mq_notify", "mq_open", "mq_timedreceive", "mq_timedsend", "mq_unlink",
        // Identity, namespaces, mounts.
        "capset", "chroot", "fsconfig", "fsmount", "fsopen", "fspick", "mount", "mount_setattr", "move_mount",
        "open_tree", "pivot_root", "setdomainname", "setfsgid", "setfsuid", "setgid", "setgroups", "sethostname",
        "setns", "setregid", "setresgid", "setresuid", "setreuid", "setuid", "umount", "umount2", "unshare",
        "statmount", "listmount",
        // Kernel and machine.
        "acct", "add_key", "adjtimex", "bpf", "clock_adjtime", "clock_settime", "delete_module", "finit_module",
        "init_module", "ioperm", "iopl", "kexec_file_load", "kexec_load", "keyctl", "memfd_secret", "modify_ldt",
        "perf_event_open", "reboot", "request_key", "settimeofday", "stime", "swapoff", "swapon", "syslog",
        "userfaultfd", "vhangup",
    ]
}
