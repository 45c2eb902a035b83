// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import PluginLaunch
import Scheduling
import TaskModel

extension DecisionLoop {
    /// Anything that can happen to the loop.
    enum Input: Sendable {
        case event(SchedulerEvent)
        /// What became of a commit, with the payloads of the tasks that it started.
        case committed(SchedulerEvent, payloads: [SubmissionNumber: [UInt8]])
        case launch(LaunchEvent)
        /// The container of a launch was made, or not for this reason.
        case container(LaunchNumber, HostError?)
        /// A timer went off. Handled after everything that arrived before it.
        case timer
        /// Looks at the core between two events; `close` is called instead when the host has stopped.
        case reading(look: @Sendable (borrowing Scheduler, Moment) -> Void, close: @Sendable () -> Void)

        /// Ends the wait of the caller that expects a result.
        func abandon() {
            if case .reading(_, let close) = self { close() }
        }
    }
}
