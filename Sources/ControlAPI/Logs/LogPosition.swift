// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The place of a line in the order of all log lines: by time, then launch, then position in the launch. Its text is
/// the cursor of a page.
package struct LogPosition: Hashable, Comparable, Sendable {
    package let at: WallTime
    package let launch: LaunchNumber
    package let number: Int64

    package init(at: WallTime, launch: LaunchNumber, number: Int64) {
        (self.at, self.launch, self.number) = (at, launch, number)
    }

    /// Parses a cursor; nil for any other text.
    package init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard parts.count == 3, let at = parts[0], let launch = parts[1], let number = parts[2], launch > 0, number > 0
        else { return nil }
        self.init(at: WallTime(nanoseconds: at), launch: LaunchNumber(rawValue: launch), number: number)
    }

    package var text: String { "\(at.nanoseconds)-\(launch.rawValue)-\(number)" }

    package static func < (one: Self, other: Self) -> Bool {
        (one.at, one.launch, one.number) < (other.at, other.launch, other.number)
    }
}
