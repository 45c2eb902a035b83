// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The rising number of a launch, unique on its host and never reused.
package struct LaunchNumber: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { "\(rawValue)" }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The rising number of an accepted request or event (C17). Requests and events share one count.
package struct SubmissionNumber: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package let rawValue: Int64
    package init(rawValue: Int64) { self.rawValue = rawValue }
    package var description: String { "\(rawValue)" }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The identifier that plugin code holds for a task. It combines launch and position, so it is unique on its host.
package struct TaskID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the identifier of a task.
    ///
    /// - Parameter index: position in the launch, from 0.
    package init(launch: LaunchNumber, index: Int) {
        rawValue = UInt64(truncatingIfNeeded: launch.rawValue) << 16 | UInt64(truncatingIfNeeded: index + 1) & 0xffff
    }

    package var description: String { "\(rawValue >> 16).\(rawValue & 0xffff)" }
}
