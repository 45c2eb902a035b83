// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation
package import HostConfiguration
package import HostMonitor
package import TaskModel
import TerminalText

/// What a command finds around it: environment, clock, zone, streams. The one thing that tests replace.
package struct Surroundings: Sendable {
    package var environment: [String: String]
    package var timeZone: TimeZone
    package var now: @Sendable () -> WallTime
    package var isRoot: Bool
    package var fileExists: @Sendable (String) -> Bool
    package var socketFacts: @Sendable (_ path: String) -> SocketFacts
    /// At most so many bytes of what is handed in.
    package var standardInput: @Sendable (_ limit: Int) throws -> [UInt8]
    /// Takes data: what was asked for.
    package var standardOutput: @Sendable (String) throws -> Void
    /// Takes talk: everything else.
    package var standardError: @Sendable (String) -> Void
    /// One element each time that the person asks the command to stop.
    package var interruptions: @Sendable () -> AsyncStream<Void>
    /// Puts a question to the person and returns the answer; nil when nobody is there to answer.
    package var ask: @Sendable (String) -> String?
    /// Nil where standard output is no terminal.
    package var screen: @Sendable () -> Screen?

    @TaskLocal package static var current = Surroundings.process

    package init(
        environment: [String: String],
        timeZone: TimeZone,
        now: @escaping @Sendable () -> WallTime,
        isRoot: Bool,
        fileExists: @escaping @Sendable (String) -> Bool,
        socketFacts: @escaping @Sendable (_ path: String) -> SocketFacts,
        standardInput: @escaping @Sendable (_ limit: Int) throws -> [UInt8],
        standardOutput: @escaping @Sendable (String) throws -> Void,
        standardError: @escaping @Sendable (String) -> Void,
        interruptions: @escaping @Sendable () -> AsyncStream<Void>,
        ask: @escaping @Sendable (String) -> String? = { _ in nil },
        screen: @escaping @Sendable () -> Screen? = { nil }
    ) {
        self.environment = environment
        self.timeZone = timeZone
        self.now = now
        self.isRoot = isRoot
        self.fileExists = fileExists
        self.socketFacts = socketFacts
        self.standardInput = standardInput
        self.standardOutput = standardOutput
        self.standardError = standardError
        self.interruptions = interruptions
        self.ask = ask
        self.screen = screen
    }

    var reader: Reader { Reader(now: now(), timeZone: timeZone) }

    func write(_ text: String) throws { try standardOutput(text) }

    /// One thing said by the command itself. What plugins and hosts put into it cannot steer the terminal.
    func talk(_ message: String) { standardError("bgtask: \(message.terminalSafe)\n") }

    /// Text that is already laid out.
    func tell(_ text: String) { standardError(text + "\n") }
}
