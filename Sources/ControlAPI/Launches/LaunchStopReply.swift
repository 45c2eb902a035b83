// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The answer to `POST /v1/launches/{number}/stop`, sent after the stop is committed.
package struct LaunchStopReply: Codable, Hashable, Sendable {
    package let launch: Int64
    /// The task identifiers and names of events of the unfinished tasks that are being stopped, in the order of the
    /// batch. Empty when only assertions kept the launch open.
    package let tasks: [String]

    package init(_ launch: LaunchNumber, tasks: [String]) {
        self.launch = launch.rawValue
        self.tasks = tasks
    }
}
