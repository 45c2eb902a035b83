// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Synchronization

/// A program that this process has started. It starts with the default action for the signals that end a program, and
/// blocks none. Otherwise it would inherit the signals that this process ignores, and the signals that a pool thread
/// blocks.
package final class ChildProgram: Sendable {
    private let pid: pid_t
    private let hasGroup: Bool
    /// Whether the process may have been reaped, so that its number may belong to another one.
    private let hasEnded = Mutex(false)

    private init(pid: pid_t, hasGroup: Bool) {
        self.pid = pid
        self.hasGroup = hasGroup
    }

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: the program, by its path or by its name in the `PATH` of this process, and its arguments.
    ///   - environment: all its variables.
    ///   - streams: the descriptors of its standard input, output and error; this process keeps them open.
    ///   - hasGroup: whether it gets a process group of its own, to which `signal` then sends. Without one it can read
    ///     from the terminal of this process.
    package static func start(
        _ words: [String],
        environment: [String: String],
        streams: [CInt] = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO],
        hasGroup: Bool = false
    ) throws(SystemError) -> ChildProgram {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in streams.enumerated() where stream != CInt(number) {
            posix_spawn_file_actions_adddup2(&actions, stream, CInt(number))
        }
        var attributes = attributes(hasGroup: hasGroup)
        defer { posix_spawnattr_destroy(&attributes) }
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        let failure = posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, &variables)
        if failure != 0 { throw SystemError(number: failure, attempt: "run \(words[0])") }
        return ChildProgram(pid: pid, hasGroup: hasGroup)
    }

    private static func attributes(hasGroup: Bool) -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var (none, ending) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&ending)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&ending, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &ending)
        if hasGroup { posix_spawnattr_setpgroup(&attributes, 0) }
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (hasGroup ? POSIX_SPAWN_SETPGROUP : 0)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        return attributes
    }

    /// Sends a signal to the program, or to its group. Does nothing after its end.
    package func signal(_ number: CInt) {
        hasEnded.withLock { if !$0 { _ = kill(hasGroup ? -pid : pid, number) } }
    }

    /// Waits for the end of the program. Its number stays reserved until `waitpid`, after which no signal is sent.
    /// Blocks the calling thread.
    ///
    /// - Returns: the exit status, or 128 plus the number of the signal that ended the program.
    package func wait() -> CInt {
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        hasEnded.withLock { $0 = true }
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }

    /// Waits for the end of the program on a thread of its own.
    ///
    /// - Parameters:
    ///   - thread: the name of the thread.
    ///   - ending: the signal that the program gets when the calling task is cancelled.
    ///   - reading: called on the thread before it waits, to read what the program writes.
    package func end(
        onThread thread: String,
        cancelledBy ending: CInt,
        after reading: @escaping @Sendable () -> Void = {}
    ) async throws -> CInt {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let status = DetachedThread.start(thread) {
                    reading()
                    continuation.resume(returning: self.wait())
                }
                if status == 0 { return }
                signal(SIGKILL)
                _ = wait()
                continuation.resume(throwing: SystemError(number: -status, attempt: "start a thread"))
            }
        } onCancel: {
            signal(ending)
        }
    }
}
