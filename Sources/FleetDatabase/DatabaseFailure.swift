// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// An error of the fleet's database or of the connection to it.
package struct DatabaseFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Cause: Hashable, Sendable {
        /// The server does not answer, or the connection ended.
        case unreachable
        /// The statement took longer than its timeout.
        case timeout
        /// The server refused the statement with this SQLSTATE.
        case refused(state: String)
        /// The server's answer has an unexpected form.
        case misunderstood
    }

    package let cause: Cause
    package let message: String
    /// The server's remedy; nil when it gave none.
    package let hint: String?

    package init(_ cause: Cause, _ message: String, hint: String? = nil) {
        self.cause = cause
        self.message = message
        self.hint = hint
    }

    package var description: String {
        let text: String =
            switch cause {
            case .unreachable: "the fleet's database is unreachable: \(message)"
            case .timeout: "the fleet's database did not answer in time: \(message)"
            case .refused(let state): "the fleet's database refused the call: \(message) (\(state))"
            case .misunderstood: "the answer of the fleet's database is unexpected: \(message)"
            }
        return hint.map { "\(text); \($0)" } ?? text
    }

    /// A conflict with another transaction: the statement had no effect and can be repeated.
    package var isConflict: Bool {
        cause == .refused(state: "40001") || cause == .refused(state: "40P01")
    }

    /// Another feeder of the same host has begun: this one must end.
    package var isSuperseded: Bool { cause == .refused(state: "BG002") }

    /// The host is not enrolled for the login role.
    package var isForeignHost: Bool { cause == .refused(state: "BG001") }

    /// An argument of the call is invalid.
    package var isInvalid: Bool { cause == .refused(state: "BG004") }

    /// A failure that a repetition by the same feeder does not end: an operator has to act.
    package var isLasting: Bool { isSuperseded || isForeignHost || isInvalid || lacksSchema }

    /// The schema is missing or older than this program.
    package var lacksSchema: Bool {
        cause == .refused(state: "3F000") || cause == .refused(state: "42883") || cause == .refused(state: "42P01")
    }
}
