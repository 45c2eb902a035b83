// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation
package import TaskModel

/// The present time, the time zone and the width for text that is shown to a user.
package struct Reader: Hashable, Sendable {
    package let now: WallTime
    package let timeZone: TimeZone
    /// The columns of the terminal, which tables fit; nil for whole cells, as in a pipe.
    package var width: Int?

    package init(now: WallTime, timeZone: TimeZone, width: Int? = nil) {
        self.now = now
        self.timeZone = timeZone
        self.width = width
    }
}
