// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Synchronization

/// Prints the JSON of an error, in the shape of the errors of the control API, for commands with a JSON format.
struct ErrorReport {
    /// Whether the user has requested JSON, by `--json` or `-o json`.
    let isJSON: Bool
    /// Whether each JSON text has a line of its own: with `-o jsonl`, and where a command prints one line per event.
    private let hasLines: Bool
    private let printed: PrintedOutput

    init(_ arguments: [String], printed: PrintedOutput) {
        let formats = Self.formats(in: arguments)
        isJSON = arguments.contains("--json") || formats.contains(where: \.isJSON)
        hasLines = formats.contains(.jsonl) || arguments.contains("--follow") || arguments.contains("--watch")
        self.printed = printed
    }

    /// The values of `-o`. The arguments may be those of no command, so that they are not parsed.
    private static func formats(in arguments: [String]) -> [ListFormat] {
        let pairs = zip(arguments, arguments.dropFirst()).filter { ["-o", "--output"].contains($0.0) }.map(\.1)
        let joined = arguments.compactMap { argument in
            ["--output=", "-o="].first(where: argument.hasPrefix).map { String(argument.dropFirst($0.count)) }
        }
        return (pairs + joined).compactMap(ListFormat.init)
    }

    /// Prints the error, unless the command has printed an answer: two JSON texts together are not valid JSON.
    func print(_ reply: ErrorReply) {
        guard isJSON, printed.isEmpty else { return }
        let encoded = try? hasLines ? WireCoding.encode(reply) : WireCoding.encodeReadably(reply)
        guard let body = encoded else { return }
        try? CommandContext.current.write(String(decoding: body, as: UTF8.self) + "\n")
    }

    func print(_ failure: CommandFailure) {
        let (code, subReason) = Self.words(for: failure.status)
        print(ErrorReply(code: code, subReason: subReason, message: failure.message, remedy: failure.remedy))
    }

    /// The category and the cause of failures that this command, and not a host, reports.
    private static func words(for status: ExitStatus) -> (code: String, subReason: String) {
        switch status {
        case .done, .refused, .passedWithExclusions: ("refused", "command-failed")
        case .misuse: ("misuse", "arguments-invalid")
        case .unreachable: ("unreachable", "host-unreachable")
        case .hungUp, .interrupted, .terminated: ("interrupted", "signal")
        case .timedOut: ("interrupted", "timeout")
        case .taskFailed, .taskExpired, .taskAbandoned, .taskCancelled: ("ended", "task-outcome")
        case .checkerFailed, .cannotBeLoaded: ("refused", "check-failed")
        }
    }
}

/// Whether a command has written to standard output.
final class PrintedOutput: Sendable {
    private let hasText = Mutex(false)

    var isEmpty: Bool { hasText.withLock { !$0 } }

    /// The context with a standard output that this object observes.
    func observing(_ context: CommandContext) -> CommandContext {
        var observed = context
        observed.standardOutput = { [self] text in
            if !text.isEmpty { hasText.withLock { $0 = true } }
            try context.standardOutput(text)
        }
        return observed
    }
}
