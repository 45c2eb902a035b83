// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Resource limits of a sandboxed process. Where the host's own limit is lower, that limit stays. The number of
/// processes is not limited here: the kernel counts all processes of the user, including the host.
enum ResourceLimits {
    static let all: [(name: String, resource: Int32, soft: UInt64, hard: UInt64)] = [
        // select() cannot handle larger descriptors, so more of them are for plugins that raise the limit.
        ("RLIMIT_NOFILE", Int32(RLIMIT_NOFILE.rawValue), 1_024, 4_096),
        ("RLIMIT_MEMLOCK", Int32(__RLIMIT_MEMLOCK.rawValue), 8 << 20, 8 << 20),
        ("RLIMIT_MSGQUEUE", Int32(__RLIMIT_MSGQUEUE.rawValue), 0, 0),
        ("RLIMIT_RTPRIO", Int32(__RLIMIT_RTPRIO.rawValue), 0, 0),
    ]
}
