// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The identifier that plugin code holds for an open background assertion. It combines the launch and a count that
/// rises within the launch, so it is unique on its host.
package struct AssertionID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The maximum number of assertions open at once in one launch; the ABI's `BGTASK_ASSERTIONS_MAX`.
    package static let openLimit = 64
    /// The maximum length of an assertion's name, in bytes; the ABI's `BGTASK_TITLE_MAX`.
    package static let nameLimit = 255

    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates the identifier of an assertion.
    ///
    /// - Parameter count: position of the assertion in its launch, from 1.
    package init(launch: LaunchNumber, count: UInt32) {
        rawValue = UInt64(Self.mark(of: launch)) << 32 | UInt64(count)
    }

    package func belongs(to launch: LaunchNumber) -> Bool { rawValue >> 32 == UInt64(Self.mark(of: launch)) }

    package var description: String { "\(rawValue >> 32).\(rawValue & 0xffff_ffff)" }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    private static func mark(of launch: LaunchNumber) -> UInt32 { UInt32(truncatingIfNeeded: launch.rawValue) }
}
