// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import HostConfiguration
import HostMonitor
import LinuxSystem
import TaskModel

extension CommandContext {
    /// The environment, clock and streams of this process.
    package static let process = CommandContext(
        environment: ProcessInfo.processInfo.environment,
        timeZone: .current,
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
        },
        isRoot: geteuid() == 0,
        isErrorTerminal: isatty(STDERR_FILENO) == 1,
        fileExists: { access($0, F_OK) == 0 },
        socketFacts: { SocketFacts.of(socketAt: $0) },
        standardInput: { try Array(FileHandle.standardInput.read(upToCount: $0) ?? Data()) },
        standardOutput: { text in try StandardStream.write(text, to: STDOUT_FILENO) },
        standardError: { text in try? StandardStream.write(text, to: STDERR_FILENO) },
        interruptions: {
            AsyncStream { stream in
                let caught = CaughtSignal(SIGINT) { stream.yield() }
                stream.onTermination = { _ in caught.cancel() }
            }
        },
        stopSignals: {
            AsyncStream { stream in
                let caught = [SIGINT, SIGTERM, SIGHUP].map { number in
                    CaughtSignal(number) { stream.yield(number) }
                }
                stream.onTermination = { _ in for signal in caught { signal.cancel() } }
            }
        },
        ask: { question in
            guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
            try? StandardStream.write(question, to: STDERR_FILENO)
            try StandardInput.awaitLine()
            return readLine() ?? ""
        },
        screen: { Screen.ofProcess() },
        hasTerminal: { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 },
        outputClosed: { try await StandardStream.awaitReaderless(STDOUT_FILENO) }
    )

    /// Ignores SIGPIPE, so that a write to a closed pipe returns an error. This error ends the command without a
    /// message.
    package static func prepareProcess() {
        signal(SIGPIPE, SIG_IGN)
    }
}

/// Thrown when the reader of the output has closed its end of the pipe.
struct OutputClosed: Error {}

private enum StandardInput {
    /// Returns when a read of standard input does not block. Throws when the calling task is cancelled, so that a
    /// signal ends a question.
    static func awaitLine() throws {
        while true {
            try Task.checkCancellation()
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let milliseconds: CInt = 100
            if poll(&input, 1, milliseconds) > 0 { return }
        }
    }
}

/// Writes to standard output and standard error without a buffer, so that no output is lost at the end of the process.
private enum StandardStream {
    /// Returns when no reader of a pipe or socket is left. For a file or a terminal that stays open it never returns.
    static func awaitReaderless(_ descriptor: CInt) async throws {
        while true {
            var output = pollfd(fd: descriptor, events: 0, revents: 0)
            if poll(&output, 1, 0) > 0, output.revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return }
            try await Task.sleep(for: .seconds(1))
        }
    }

    static func write(_ text: String, to descriptor: CInt) throws {
        do throws(SystemError) {
            try FileBytes.write(Array(text.utf8)[...], to: descriptor, for: "write the output")
        } catch {
            if error.number == EPIPE { throw OutputClosed() }
            throw CommandFailure(
                .refused,
                "the output cannot be written: \(error.meaning)",
                remedy: [ENOSPC, EDQUOT].contains(error.number)
                    ? "free space on the disk of the output, or redirect the output elsewhere"
                    : "redirect the output elsewhere"
            )
        }
    }
}
