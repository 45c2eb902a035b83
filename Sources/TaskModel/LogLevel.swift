// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Severity of a plugin's log line; the numbers are the ABI's `BGT_LOG_...`.
package enum LogLevel: UInt32, CaseIterable, Hashable, Comparable, Sendable {
    case debug = 1
    case info = 2
    case warning = 3
    case error = 4

    package var name: String {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .warning: "warning"
        case .error: "error"
        }
    }

    package init?(named name: some StringProtocol) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    package static func < (one: LogLevel, other: LogLevel) -> Bool { one.rawValue < other.rawValue }
}
