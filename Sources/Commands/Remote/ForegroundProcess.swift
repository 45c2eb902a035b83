// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import Synchronization

/// A program that runs in the process group of this command, so that it can use the terminal.
final class ForegroundProcess: Sendable {
    enum Stream: Hashable, Sendable { case output, error }

    private let pid: pid_t
    /// The reading ends of the program's standard output and standard error; empty when it writes to those of this
    /// process.
    private let pipes: [(stream: Stream, end: Descriptor)]
    /// Whether the process may have ended, so that its number may belong to another one.
    private let hasEnded = Mutex(false)

    private init(pid: pid_t, pipes: [(stream: Stream, end: Descriptor)]) {
        self.pid = pid
        self.pipes = pipes
    }

    /// Runs a program to its end. Ends it with SIGTERM when the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - words: the program, by its path or by its name in `PATH`, and its arguments.
    ///   - receive: gets what the program writes, on a thread of its own. The program then has no standard input. Nil:
    ///     the program has the three standard streams of this process.
    /// - Returns: the exit status, or 128 plus the number of the signal that ended the program.
    static func run(
        _ words: [String],
        environment: [String: String],
        receive: (@Sendable (Stream, [UInt8]) -> Void)? = nil
    ) async throws -> Int32 {
        let process = try start(words, environment, isPiped: receive != nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let status = DetachedThread.start("remote") {
                    if let receive { process.read(receive) }
                    continuation.resume(returning: process.reap())
                }
                if status == 0 { return }
                process.signal(SIGKILL)
                _ = process.reap()
                continuation.resume(throwing: SystemError(number: -status, attempt: "start a thread"))
            }
        } onCancel: {
            process.signal(SIGTERM)
        }
    }

    private static func start(_ words: [String], _ environment: [String: String], isPiped: Bool) throws
        -> ForegroundProcess
    {
        if !isPiped { return ForegroundProcess(pid: try spawn(words, environment, [0, 1, 2]), pipes: []) }
        let (output, error) = (try Descriptor.pipe(), try Descriptor.pipe())
        let input = try Descriptor(opening: "/dev/null", flags: O_RDONLY)
        let pid = try spawn(words, environment, [input.number, output.1.number, error.1.number])
        // The writing ends close with the return, so that the end of the program ends its output.
        return ForegroundProcess(pid: pid, pipes: [(.output, output.0), (.error, error.0)])
    }

    /// Starts a program with the given standard streams.
    private static func spawn(_ words: [String], _ environment: [String: String], _ streams: [CInt]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in streams.enumerated() where stream != CInt(number) {
            posix_spawn_file_actions_adddup2(&actions, stream, CInt(number))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The program would inherit the signals that this process ignores, and those that the thread of a pool blocks.
        var (none, ignored) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&ignored)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&ignored, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        let failure = posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, &variables)
        if failure != 0 { throw SystemError(number: failure, attempt: "run \(words[0])") }
        return pid
    }

    private func signal(_ number: CInt) {
        hasEnded.withLock { if !$0 { _ = kill(pid, number) } }
    }

    /// Reads both streams until the program, and everything that has inherited them, has closed them.
    private func read(_ receive: (Stream, [UInt8]) -> Void) {
        var open = pipes
        while !open.isEmpty {
            var waiting = open.map { pollfd(fd: $0.end.number, events: Int16(POLLIN), revents: 0) }
            if poll(&waiting, nfds_t(waiting.count), -1) < 0, errno != EINTR { return }
            let ready = Set(waiting.filter { $0.revents != 0 }.map(\.fd))
            open.removeAll { ready.contains($0.end.number) && !Self.pass(from: $0.end, to: receive, as: $0.stream) }
        }
    }

    /// Passes the bytes that are ready on. Returns false at the end of the stream.
    private static func pass(from end: Descriptor, to receive: (Stream, [UInt8]) -> Void, as stream: Stream) -> Bool {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
            count = Glibc.read(end.number, buffer.baseAddress, buffer.count)
            filled = max(0, count)
        }
        if count > 0 { receive(stream, bytes) }
        return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
    }

    /// Waits for the end of the process. Its number stays reserved until `waitpid`, after which no signal is sent.
    private func reap() -> Int32 {
        var info = siginfo_t()
        while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        hasEnded.withLock { $0 = true }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }
}
