// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation
package import TaskModel

/// The present time and the time zone for text that is shown to a user.
package struct Reader: Hashable, Sendable {
    package let now: WallTime
    package let timeZone: TimeZone

    package init(now: WallTime, timeZone: TimeZone) {
        self.now = now
        self.timeZone = timeZone
    }
}
