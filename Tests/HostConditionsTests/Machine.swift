// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

@testable import HostConditions

/// Capabilities of the machine that runs the tests.
enum Machine {
    static let isRoot = geteuid() == 0
    static let pid = getpid()
    static func wakeChannel() -> Int32 { bgl_eventfd_create() }
    static let canMount: Bool = {
        guard isRoot, let tree = try? FileTree() else { return false }
        return run("mount", "-t", "tmpfs", "tmpfs", tree.path) && run("umount", tree.path)
    }()
    static let deviceEvents = Int32(NETLINK_KOBJECT_UEVENT)

    static func announce(_ path: String) throws {
        try SystemError.check(bgl_write_file(AT_FDCWD, path, "change"), "announce \(path)")
    }

    /// Runs a program to its end without output, in the namespaces of the calling thread. Returns whether it succeeded.
    @discardableResult
    static func run(_ words: String...) -> Bool { run(words[0], Array(words.dropFirst())) }

    static func run(_ program: String, _ words: [String]) -> Bool {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number in 0...2 as ClosedRange<Int32> {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        let arguments = ([program] + words).map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        guard posix_spawnp(&pid, program, &actions, nil, arguments + [nil], environ) == 0 else { return false }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 { if errno != EINTR { return false } }
        return status == 0
    }

    static func has(_ program: String) -> Bool {
        ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
            .contains { access("\($0)/\(program)", X_OK) == 0 }
    }
}
