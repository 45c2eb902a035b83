// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What plugin code holds of an open assertion: launch and count, so that no two assertions of one host ever share one.
/// Rises within a launch.
package struct AssertionID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Open at once in one launch, at the most; the ABI's `BGTASK_ASSERTIONS_MAX`.
    package static let openLimit = 64
    /// Of a name, in bytes; the ABI's `BGTASK_TITLE_MAX`.
    package static let nameLimit = 255

    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameter count: how many the launch has begun with this one, from 1.
    package init(launch: LaunchNumber, count: UInt32) {
        rawValue = UInt64(Self.mark(of: launch)) << 32 | UInt64(count)
    }

    package func belongs(to launch: LaunchNumber) -> Bool { rawValue >> 32 == UInt64(Self.mark(of: launch)) }

    package var description: String { "\(rawValue >> 32).\(rawValue & 0xffff_ffff)" }

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    private static func mark(of launch: LaunchNumber) -> UInt32 { UInt32(truncatingIfNeeded: launch.rawValue) }
}
