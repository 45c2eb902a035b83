// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import LinuxSystem

@testable import HostConditions

/// A control group with a small memory limit, for the duration of one test.
final class MemoryGroup: Sendable {
    private let path: String
    private let tree: FileTree

    static let isAllowed: Bool = {
        guard Machine.isRoot, SystemFile.exists("/proc/pressure/memory") else { return false }
        return (try? MemoryGroup(megabytes: 16)) != nil
    }()

    init(megabytes: Int) throws {
        tree = try FileTree()
        let name = "bgtask-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        // The controller's files in version 1 and in version 2.
        let forms = [("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.high")]
        for (parent, limit) in forms {
            let path = "\(parent)/\(name)"
            guard mkdir(path, 0o755) == 0 else { continue }
            if (try? Data("\(megabytes)M".utf8).write(to: URL(filePath: "\(path)/\(limit)"))) != nil {
                self.path = path
                return
            }
            rmdir(path)
        }
        throw SystemError(number: ENOENT, attempt: "limit memory")
    }

    deinit { rmdir(path) }

    /// Repeatedly reads a file larger than the memory limit, from a process in the group.
    func readsMoreThanItHolds() async {
        let file = "\(tree.path)/large"
        let steps = "dd if=/dev/zero of=\(file) bs=1M count=64; sync; for pass in 1 2 3; do cat \(file); done"
        Machine.run("sh", "-c", "echo 0 > \(path)/cgroup.procs; \(steps)")
    }
}
