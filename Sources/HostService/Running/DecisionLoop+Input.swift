// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import PluginLaunch
import Scheduling
import TaskModel

extension DecisionLoop {
    /// An input of the decision loop.
    enum Input: Sendable {
        case event(SchedulerEvent)
        /// The result of a commit, with the payloads of the tasks that it started.
        case committed(SchedulerEvent, payloads: [SubmissionNumber: [UInt8]])
        case launch(LaunchEvent)
        /// The result of creating a launch's container; nil for success.
        case container(LaunchNumber, HostError?)
        /// A timer fired. Handled after all inputs that arrived before it.
        case timer
        /// Reads the core between two events. `close` is called instead when the host has stopped.
        case reading(look: @Sendable (borrowing Scheduler, Moment) -> Void, close: @Sendable () -> Void)

        /// Releases the caller that waits for a result.
        func abandon() {
            if case .reading(_, let close) = self { close() }
        }
    }
}
