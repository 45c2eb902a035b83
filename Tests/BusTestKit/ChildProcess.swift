// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Starts programs without Foundation's `Process`, which would also wait for all processes that a program leaves
/// running.
enum ChildProcess {
    /// Starts a program.
    ///
    /// - Parameter standardStreams: descriptor for standard input and output; nil for none. Standard error is
    ///   discarded.
    static func start(_ program: String, _ arguments: [String], standardStreams: Int32? = nil) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number in 0...2 as ClosedRange<Int32> {
            if number < 2, let standardStreams {
                posix_spawn_file_actions_adddup2(&actions, standardStreams, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        let words = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        guard posix_spawnp(&pid, program, &actions, nil, words + [nil], environ) == 0 else {
            throw BusFailure(message: "\(program) does not start")
        }
        return pid
    }

    /// Waits for the end of a process. Returns whether its exit code was 0; false also if the wait fails.
    static func end(of pid: pid_t) -> Bool {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 { if errno != EINTR { return false } }
        return status == 0
    }

    static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
        (try? start(program, arguments)).map { end(of: $0) } ?? false
    }
}
