// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Scheduling
package import TaskModel

/// The launches that a host will make until a time, and the work that will still wait then.
package struct Forecast: Sendable {
    /// The reason why a forecast ends early or lacks work.
    package enum Cut: String, Hashable, Sendable, CaseIterable {
        /// The maximum number of events is reached.
        case steps
        /// The time limit of the computation is reached.
        case processorTime = "processor-time"
        /// The ledger has more pending work than a forecast reads.
        case work
        /// The host is still loading pending work.
        case loading
    }

    package struct Task: Hashable, Sendable {
        package let work: PendingWork
        /// The expected running time.
        package let takes: Duration
        package let basis: ExpectedTimes.Basis
        package let origin: Origin
    }

    package enum Origin: String, Hashable, Sendable, CaseIterable {
        /// A task that runs at the begin of the forecast, also when it is requeued.
        case running
        /// A request or an event that is pending at the begin.
        case pending
        /// A request that a schedule will submit.
        case schedule
        /// An event or a fetch that the host will add.
        case host
    }

    package struct Launch: Hashable, Sendable {
        package let number: LaunchNumber
        /// Whether the launch runs at the begin of the forecast.
        package let isRunning: Bool
        package let plugin: PluginIdentifier
        package internal(set) var lane: Lane
        package let begin: WallTime
        /// Nil when the launch runs at the end of the forecast.
        package internal(set) var end: WallTime?
        package internal(set) var tasks: [Task]
    }

    package let now: Moment
    /// The running launches, then the future ones, each by number.
    package internal(set) var launches: [Launch] = []
    /// The first items of the waiting work, by plugin and number.
    package internal(set) var waiting: [WaitingPage.Item] = []
    package internal(set) var waitingCount = 0
    package internal(set) var computedUntil: Moment
    package internal(set) var cut: Cut?
}
