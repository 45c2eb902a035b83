// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation
package import TaskModel

/// Something that a command shows: as it is to programs, as text to people.
protocol Presentable: Encodable {
    /// Whole lines.
    func text(for reader: Reader) -> String
}

/// When and where text is read.
package struct Reader: Hashable, Sendable {
    package let now: WallTime
    package let timeZone: TimeZone

    package init(now: WallTime, timeZone: TimeZone) {
        self.now = now
        self.timeZone = timeZone
    }
}
