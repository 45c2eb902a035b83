// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The rising number of a launch on one host, never reused.
package struct LaunchNumber: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { "\(rawValue)" }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The rising number that a request or an event got when it was accepted (C17); requests and events share the count.
package struct SubmissionNumber: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { "\(rawValue)" }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What plugin code holds of a task: launch and position, so that no two tasks of one host ever share one.
package struct TaskID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameter index: position in the batch, from 0.
    package init(launch: LaunchNumber, index: Int) {
        rawValue = UInt64(truncatingIfNeeded: launch.rawValue) << 16 | UInt64(truncatingIfNeeded: index + 1) & 0xffff
    }

    package var description: String { "\(rawValue >> 16).\(rawValue & 0xffff)" }
}
