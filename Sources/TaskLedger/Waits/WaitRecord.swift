// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// A period in which one reason kept the pending work of a class from running.
package struct WaitRecord: Hashable, Sendable {
    /// The code of the reason. A name: an older host may have recorded a code that is no longer known.
    package let reason: String
    package let since: WallTime
    /// Nil while the period lasts.
    package let until: WallTime?
}
