// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Synchronization

/// Prints the JSON of an error, in the shape of the errors of the control API, for commands with a JSON format.
struct ErrorReport {
    /// Whether the user has asked for JSON, by `--json` or `-o json`.
    let isJSON: Bool
    private let printed: PrintedOutput

    init(_ arguments: [String], printed: PrintedOutput) {
        let formats = ListFormat.allCases.filter(\.isJSON).map(\.rawValue)
        let pairs = zip(arguments, arguments.dropFirst())
        isJSON =
            arguments.contains("--json") || pairs.contains { ["-o", "--output"].contains($0) && formats.contains($1) }
            || formats.contains { arguments.contains("--output=\($0)") || arguments.contains("-o=\($0)") }
        self.printed = printed
    }

    /// Prints the error, unless the command has printed an answer: two JSON texts would be no JSON.
    func print(_ reply: ErrorReply) {
        guard isJSON, printed.isEmpty, let body = try? WireCoding.encodeReadably(reply) else { return }
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
