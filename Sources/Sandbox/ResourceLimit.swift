// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// A resource limit of a sandboxed process. Where the host's own limit is lower, that limit stays. The number of
/// processes is not limited here: the kernel counts all processes of the user, including the host.
struct ResourceLimit {
    let name: String
    let resource: Int32
    let soft: UInt64
    let hard: UInt64

    /// The limit of descriptors, which applies after the listener was sent.
    static let descriptors = ResourceLimit(
        name: "RLIMIT_NOFILE",
        resource: Int32(RLIMIT_NOFILE.rawValue),
        // select() cannot handle larger descriptors, so more of them are for plugins that raise the limit.
        soft: 1_024,
        hard: 4_096
    )

    /// The other limits, which apply from the beginning of the sandbox.
    static let others = [
        ResourceLimit(name: "RLIMIT_MEMLOCK", resource: Int32(__RLIMIT_MEMLOCK.rawValue), soft: 8 << 20, hard: 8 << 20),
        ResourceLimit(name: "RLIMIT_MSGQUEUE", resource: Int32(__RLIMIT_MSGQUEUE.rawValue), soft: 0, hard: 0),
        // The kernel compares it with the timers and pending signals of all processes of the user.
        ResourceLimit(
            name: "RLIMIT_SIGPENDING",
            resource: Int32(__RLIMIT_SIGPENDING.rawValue),
            soft: 1_024,
            hard: 1_024
        ),
        ResourceLimit(name: "RLIMIT_RTPRIO", resource: Int32(__RLIMIT_RTPRIO.rawValue), soft: 0, hard: 0),
    ]

    /// Lowers the limit of this process.
    func apply() throws(SystemError) {
        try SystemError.check(bgl_limit(resource, soft, hard), "set the resource limit \(name)")
    }
}
