// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Fleet
import TaskModel

/// One machine of the simulation: its clocks, its host, its feeder, and its connection to the database.
struct ModelHost {
    var clock: ModelClock
    var daemon: ModelDaemon
    var feeder: FeederCore
    /// Numbers of the present processes; an event of an earlier process is dropped.
    var daemonEpoch = 0
    var feederEpoch = 0
    var timerEpoch = 0
    var trustEpoch = 0
    var isDaemonUp = true
    var hasNetwork = true
    /// The simulation's time up to which the machine is suspended, or its database cannot be reached.
    var suspendedUntil: Int64 = .min
    var partitionedUntil: Int64 = .min
    /// The times at which the scheduler expects `timerFired`.
    var wake: (monotonic: MonotonicTime?, wall: WallTime?)
    var killTimes: [LaunchNumber: MonotonicTime] = [:]
}

/// An event of the simulation.
struct FleetEvent: Comparable {
    enum What {
        case submission
        case fault
        /// An action of a feeder has its effect and, unless it is late, its answer.
        case effect(FeederAction, daemon: Int, isLost: Bool)
        case input(FeederInput)
        case daemonStart
        case feederStart
        case timer
        case trustEnd
        case complete(LaunchNumber, TaskID)
        case exit(LaunchNumber, ProcessTermination)
        case killTime(LaunchNumber, MonotonicTime)
        case conditions(hasNetwork: Bool)
    }

    let at: Int64
    let order: Int
    /// The host that the event is about; nil for the fleet.
    let host: Int?
    let epoch: Int
    let what: What

    static func < (left: Self, right: Self) -> Bool { (left.at, left.order) < (right.at, right.order) }
    static func == (left: Self, right: Self) -> Bool { left.order == right.order }
}
