// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import LinuxSystem
import Synchronization
import TaskModel

/// The command of an operator, which `/bin/sh` runs for each message, with the message as standard input.
struct AlertProgram {
    let command: String
    /// The environment besides the variables of the message.
    let environment: [String: String]
    /// Time after which the command and its children are killed.
    let timeout: Duration

    /// Runs the command once. Its exit status 0 means that the message is delivered.
    func run(_ input: Data, _ variables: [String: String]) async throws -> DeliveryQueue.Outcome {
        let process = try AlertProcess.start(
            ["/bin/sh", "-c", command],
            environment.merging(variables) { _, own in own },
            input: try Self.file(with: input)
        )
        let status = try await withThrowingTaskGroup(of: Int32?.self) { group in
            group.addTask { try await process.status() }
            group.addTask {
                try await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let status else { return .failed("the command took longer than \(timeout.humanReadable)") }
        return status == 0 ? .delivered : .failed("the command ended with status \(status)")
    }

    /// An open file without a name that contains the bytes. A pipe would block the writer of a command that reads
    /// nothing.
    private static func file(with bytes: Data) throws -> Descriptor {
        var template = Array((NSTemporaryDirectory() + "/bgtask-XXXXXX").utf8CString)
        let number = mkstemp(&template)
        guard number >= 0 else { throw SystemError(number: errno, attempt: "create a temporary file") }
        let file = Descriptor(owning: number)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        unlink(template)
        try FileBytes.write(Array(bytes)[...], to: number, for: "write a temporary file")
        lseek(number, 0, SEEK_SET)
        return file
    }
}

/// A process with a process group of its own, which is killed when the task that waits for it is cancelled.
private final class AlertProcess: Sendable {
    private let pid: pid_t
    /// Whether the process may have been reaped, so that its number may belong to another one.
    private let hasEnded = Mutex(false)

    private init(pid: pid_t) { self.pid = pid }

    static func start(
        _ words: [String],
        _ environment: [String: String],
        input: Descriptor
    ) throws -> AlertProcess {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO)
        // Standard output may be the input of another program, which expects only messages.
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, ignored) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&ignored)
        for number in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&ignored, number) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &ignored)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        let failure = posix_spawn(&pid, words[0], &actions, &attributes, &arguments, &variables)
        if failure != 0 { throw SystemError(number: failure, attempt: "run \(words[0])") }
        return AlertProcess(pid: pid)
    }

    /// Waits for the end of the process. Returns its exit status, or 128 plus the number of the signal that ended it.
    func status() async throws -> Int32 {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let status = DetachedThread.start("alert") { continuation.resume(returning: self.reap()) }
                if status == 0 { return }
                killGroup()
                _ = reap()
                continuation.resume(throwing: SystemError(number: -status, attempt: "start a thread"))
            }
        } onCancel: {
            killGroup()
        }
    }

    private func killGroup() {
        hasEnded.withLock { if !$0 { _ = kill(-pid, SIGKILL) } }
    }

    /// The number of the process stays reserved until `waitpid`, after which no signal is sent.
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
