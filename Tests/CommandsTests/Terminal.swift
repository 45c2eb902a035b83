// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostConfiguration
import Synchronization
import TaskModel

@testable import Commands

/// Runs commands as a shell would, and records their output. Its clock stands still.
final class Terminal: Sendable {
    private struct Streams {
        var output = ""
        var error = ""
        var pauses: [Duration] = []
        var interruption: AsyncStream<Void>.Continuation?
    }

    private let streams = Mutex(Streams())
    private let closesAfter: Int
    private let input: String
    private let environment: [String: String]

    /// Creates a terminal without recorded output.
    ///
    /// - Parameters:
    ///   - closesAfter: the number of writes after which the reader of standard output leaves.
    ///   - input: the contents of standard input.
    ///   - environment: the environment variables besides `HOME`.
    init(closesAfter: Int = .max, input: String = "", environment: [String: String] = [:]) {
        self.closesAfter = closesAfter
        self.input = input
        self.environment = environment
    }

    var output: String { streams.withLock { $0.output } }
    var error: String { streams.withLock { $0.error } }
    /// The durations of the command's pauses, which the terminal skips.
    var pauses: [Duration] { streams.withLock { $0.pauses } }

    func run(_ arguments: String..., interruptedBy word: String? = nil) async -> ExitStatus {
        await run(list: arguments, interruptedBy: word)
    }

    /// Runs a command and returns its exit status.
    ///
    /// - Parameters:
    ///   - word: the output at which the user presses Ctrl-C.
    ///   - answer: the user's answer to every question; nil without an interactive user.
    func run(
        list arguments: [String],
        interruptedBy word: String? = nil,
        answering answer: String? = nil
    ) async -> ExitStatus {
        let writes = Mutex(0)
        let context = CommandContext(
            environment: environment.merging(["HOME": "/nowhere"]) { own, _ in own },
            timeZone: .gmt,
            now: { Samples.now },
            isRoot: false,
            fileExists: { _ in false },
            socketFacts: { _ in SocketFacts() },
            standardInput: { [input] limit in Array(input.utf8.prefix(limit)) },
            standardOutput: { [self] text in
                let count = writes.withLock { count in
                    count += 1
                    return count
                }
                if count > closesAfter { throw OutputClosed() }
                streams.withLock { $0.output += text }
                if let word, text.contains(word) { streams.withLock { _ = $0.interruption?.yield() } }
            },
            standardError: { [self] text in streams.withLock { $0.error += text } },
            interruptions: { [self] in
                AsyncStream { continuation in streams.withLock { $0.interruption = continuation } }
            },
            ask: { _ in answer },
            pause: { [self] time in
                try Task.checkCancellation()
                streams.withLock { $0.pauses.append(time) }
                await Task.yield()
            }
        )
        return await CommandContext.$current.withValue(context) { await BgtaskCommand.execute(arguments) }
    }
}
