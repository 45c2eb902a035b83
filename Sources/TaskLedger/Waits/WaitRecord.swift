// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A period in which one reason blocked the pending work of a class.
package struct WaitRecord: Hashable, Sendable {
    /// The code of the reason. It is a string, because an older host may have recorded a code that no longer exists.
    package let reason: String
    package let since: WallTime
    /// End of the period; nil while it lasts.
    package let until: WallTime?
}
