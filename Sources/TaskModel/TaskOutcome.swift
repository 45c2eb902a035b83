// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// How one delivered task ended.
package enum TaskOutcome: String, Hashable, Sendable, CaseIterable {
    // The plugin completed it, in time or within the grace.
    case succeeded
    case failed
    case noData = "no-data"

    // The host consumed it.
    case expired
    case overran
    case notRegistered = "not-registered"
    case abandoned

    // It was interrupted and returns to pending, unless a newer request supersedes it.
    case crashed
    case exited
    case killedForMemory = "killed-for-memory"
    case entryFailed = "entry-failed"
    case loadFailed = "load-failed"
    case interrupted
}

/// What the plugin says when it completes a task; the numbers are the ABI's `BGT_OUTCOME_...`.
package enum CompletionOutcome: Int32, Hashable, Sendable {
    case success = 0
    case failure = 1
    case noData = 2

    package var taskOutcome: TaskOutcome {
        switch self {
        case .success: .succeeded
        case .failure: .failed
        case .noData: .noData
        }
    }
}

/// How a whole launch ended.
package enum LaunchOutcome: String, Hashable, Sendable, CaseIterable {
    /// Every task was completed by the plugin or consumed, and the process left in order.
    case completed
    case expired
    case overran
    case crashed
    case exited
    case killedForMemory = "killed-for-memory"
    case entryFailed = "entry-failed"
    case loadFailed = "load-failed"
    /// The host stopped in order.
    case interrupted
    /// The host or the machine went down.
    case lost
}

/// Who or what an outcome is to be put down to.
package enum Blame: String, Hashable, Sendable, CaseIterable {
    case nobody
    case plugin
    case host
    case person
    case machine
    /// It may be any of them.
    case unknown
}

/// Why a task was told to stop; the numbers are the ABI's `BGT_EXPIRED_...`.
package enum ExpirationReason: UInt32, Hashable, Sendable {
    case budget = 1
    case externalPowerLost = 2
    case networkLost = 3
    case notIdle = 4
    case stoppedByPerson = 5
    case noProgress = 6
    case memoryPressure = 7
    case hostShutdown = 8
    case containerLocked = 9

    package var name: String {
        switch self {
        case .budget: "budget used up"
        case .externalPowerLost: "external power lost"
        case .networkLost: "network lost"
        case .notIdle: "no longer idle"
        case .stoppedByPerson: "stopped by a person"
        case .noProgress: "no progress"
        case .memoryPressure: "memory pressure"
        case .hostShutdown: "host shutting down"
        case .containerLocked: "container locked"
        }
    }

    /// Whom a task that stopped unfinished, as it was told, is put down to.
    package var blame: Blame {
        switch self {
        case .budget, .noProgress: .plugin
        case .externalPowerLost, .networkLost, .notIdle, .memoryPressure, .containerLocked: .machine
        case .stoppedByPerson: .person
        case .hostShutdown: .host
        }
    }
}

/// How a process ended, as the kernel tells it.
package enum ProcessTermination: Hashable, Sendable {
    case exited(code: Int32)
    case signaled(Int32)
    /// Ended by the kernel for using too much memory.
    case outOfMemory
}

/// What a crashing runner could still say.
package struct LastWords: Hashable, Sendable {
    package let signal: Int32
    package let address: UInt64
    /// The task on whose handler thread the signal struck.
    package let task: TaskID?

    package init(signal: Int32, address: UInt64, task: TaskID?) {
        self.signal = signal
        self.address = address
        self.task = task
    }
}
