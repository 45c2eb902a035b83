// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import PluginLaunch
import Scheduling
import TaskLedger
import TaskModel

extension DecisionLoop {
    /// An input of the decision loop: an event, a result or a request to read.
    enum Input: Sendable {
        case event(SchedulerEvent)
        /// The result of a commit, with the payloads of the tasks that it started.
        case committed(CommitReport)
        case launch(LaunchEvent)
        /// The result of preparing a launch: its container, its secret settings and its main bundle.
        case container(LaunchNumber, Result<PreparedLaunch, HostError>)
        /// A timer fired. Handled after all launch events that arrived before it.
        case timer
        /// A request to read values from the scheduler between two events. `close` is called instead when the host has
        /// stopped.
        case reading(body: @Sendable (borrowing Scheduler, Moment) -> Void, close: @Sendable () -> Void)

        /// Releases the caller, if any, that waits for the result of this input. Called when the host has stopped.
        func abandon() {
            if case .reading(_, let close) = self { close() }
        }
    }
}

extension CommitReport {
    var isOnDisk: Bool { if case .success = result { true } else { false } }

    /// The event that reports the commit to the scheduler.
    var event: SchedulerEvent {
        switch result {
        case .success: .committed(Ticket(rawValue: ticket))
        case .failure(let error): .commitFailed(Ticket(rawValue: ticket), message: "\(error)")
        }
    }
}
