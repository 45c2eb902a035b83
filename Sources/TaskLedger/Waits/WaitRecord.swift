// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// One thing that a submission waited for, and how long.
package struct WaitRecord: Hashable, Sendable {
    package let submission: SubmissionNumber
    /// The code of the reason. A name: an older ledger may tell of what is no longer known.
    package let reason: String
    package let since: WallTime
    /// Nil while it waits for it.
    package let until: WallTime?
}
