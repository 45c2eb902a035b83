// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation
package import HostConfiguration
package import HostMonitor
package import TaskModel
import TerminalText

/// The context of a command: environment variables, clock, time zone and streams. Tests replace `current`.
package struct CommandContext: Sendable {
    package var environment: [String: String]
    package var timeZone: TimeZone
    package var now: @Sendable () -> WallTime
    package var isRoot: Bool
    /// Whether standard error is a terminal, on which a line may be redrawn.
    package var isErrorTerminal: Bool
    package var fileExists: @Sendable (String) -> Bool
    package var socketFacts: @Sendable (_ path: String) -> SocketFacts
    /// Reads at most `limit` bytes from standard input.
    package var standardInput: @Sendable (_ limit: Int) throws -> [UInt8]
    /// Writes the result of a command to standard output.
    package var standardOutput: @Sendable (String) throws -> Void
    /// Writes messages, such as errors and remarks, to standard error.
    package var standardError: @Sendable (String) -> Void
    /// Yields one element for each Ctrl-C of the user.
    package var interruptions: @Sendable () -> AsyncStream<Void>
    /// Yields the number of each signal that requests the end of the command: SIGINT, SIGTERM or SIGHUP.
    package var stopSignals: @Sendable () -> AsyncStream<Int32>
    /// Asks the user a question on standard error and returns the answer; nil unless standard input and standard error
    /// are a terminal. Throws when the calling task is cancelled.
    package var ask: @Sendable (String) throws -> String?
    /// The terminal; nil when standard output is not a terminal.
    package var screen: @Sendable () -> Screen?
    /// Whether standard input and standard output are a terminal.
    package var hasTerminal: @Sendable () -> Bool
    /// Returns when the reader of standard output has closed it. Throws when the calling task is cancelled.
    package var outputClosed: @Sendable () async throws -> Void
    /// Returns after a time. Throws when the calling task is cancelled.
    package var pause: @Sendable (Duration) async throws -> Void

    @TaskLocal package static var current = CommandContext.process

    package init(
        environment: [String: String],
        timeZone: TimeZone,
        now: @escaping @Sendable () -> WallTime,
        isRoot: Bool,
        isErrorTerminal: Bool = false,
        fileExists: @escaping @Sendable (String) -> Bool,
        socketFacts: @escaping @Sendable (_ path: String) -> SocketFacts,
        standardInput: @escaping @Sendable (_ limit: Int) throws -> [UInt8],
        standardOutput: @escaping @Sendable (String) throws -> Void,
        standardError: @escaping @Sendable (String) -> Void,
        interruptions: @escaping @Sendable () -> AsyncStream<Void>,
        stopSignals: @escaping @Sendable () -> AsyncStream<Int32> = { AsyncStream { $0.finish() } },
        ask: @escaping @Sendable (String) throws -> String? = { _ in nil },
        screen: @escaping @Sendable () -> Screen? = { nil },
        hasTerminal: @escaping @Sendable () -> Bool = { false },
        outputClosed: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(3600)) },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.environment = environment
        self.timeZone = timeZone
        self.now = now
        self.isRoot = isRoot
        self.isErrorTerminal = isErrorTerminal
        self.fileExists = fileExists
        self.socketFacts = socketFacts
        self.standardInput = standardInput
        self.standardOutput = standardOutput
        self.standardError = standardError
        self.interruptions = interruptions
        self.stopSignals = stopSignals
        self.ask = ask
        self.screen = screen
        self.hasTerminal = hasTerminal
        self.outputClosed = outputClosed
        self.pause = pause
    }

    var reader: Reader { Reader(now: now(), timeZone: timeZone, width: screen()?.size().columns) }

    /// Writes text or JSON to standard output. Characters that could control the terminal are escaped; JSON contains
    /// none.
    func write(_ text: String) throws { try standardOutput(text.terminalSafeLines) }

    /// Asks the user a question with unsafe characters escaped, and returns the answer; nil without a terminal.
    func answer(to question: String) throws -> String? { try ask(question.terminalSafeLines) }

    /// Writes a message of the command to standard error, prefixed with `bgtask:`. Control characters from plugins and
    /// hosts are escaped.
    func writeMessage(_ message: String) { standardError("bgtask: \(message.terminalSafe)\n") }

    /// Writes a text and a newline to standard error, without a prefix.
    func writeLine(_ text: String) { standardError(text.terminalSafeLines + "\n") }
}
