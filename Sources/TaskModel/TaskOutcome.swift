// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The outcome of one delivered task.
package enum TaskOutcome: String, Hashable, Sendable, CaseIterable {
    // Completed by the plugin, in time or within the grace period.
    case succeeded
    case failed
    case noData = "no-data"

    // Ended by the host.
    case expired
    case overran
    case notRegistered = "not-registered"
    case abandoned
    case noProgress = "no-progress"

    // Failed or interrupted: the task is requeued, unless a newer request supersedes it.
    case retrying
    case crashed
    case exited
    case killedForMemory = "killed-for-memory"
    case entryFailed = "entry-failed"
    case loadFailed = "load-failed"
    case interrupted
    case continues

    /// Meaning of each outcome, whether it ends the task for good, and its severity. Of the tasks of a launch, the
    /// outcome with the highest severity is shown first.
    private var row: (meaning: String, isFinal: Bool, severity: Int) {
        switch self {
        case .succeeded: ("the plugin completed the task, or has no receiver for the event \"started\"", true, 0)
        case .noData: ("the plugin completed the task without new data", true, 1)
        case .interrupted:
            ("the host stopped or went down, or the launch failed without a proven fault of the task", false, 2)
        case .continues:
            ("the run ended early, and the task continues at its cursor", false, 2)
        case .expired:
            ("the task was expired, had no expiration handler and was killed at the end of a grace period", true, 3)
        case .failed: ("the plugin completed the task without success", true, 4)
        case .notRegistered:
            ("the plugin registered no handler for the task, or has no receiver for the event", true, 5)
        case .noProgress:
            ("several runs in a row ended early without moving the cursor of the task", true, 5)
        case .overran:
            ("the task was killed at the end of a grace period, despite its expiration handler", true, 6)
        case .retrying: ("the plugin completed the task without success, and the host retries it", false, 4)
        case .exited: ("the process exited before the task was completed", false, 7)
        case .entryFailed:
            ("the plugin failed or overran in entry, or while its library was loaded", false, 8)
        case .loadFailed: ("the plugin's library could not be loaded", false, 9)
        case .killedForMemory: ("the kernel killed the process for lack of memory", false, 10)
        case .crashed: ("the process crashed", false, 11)
        case .abandoned:
            ("the attempts are used up, the host went down too often, or the plugin was removed or refused", true, 12)
        }
    }

    package var meaning: String { row.meaning }
    /// Whether the task never runs again after the outcome.
    package var isFinal: Bool { row.isFinal }

    /// The outcome with the highest severity; nil for an empty sequence.
    package static func worst(of outcomes: some Sequence<TaskOutcome>) -> TaskOutcome? {
        outcomes.max { $0.row.severity < $1.row.severity }
    }
}

/// The outcome that a plugin reports when it completes a task; the numbers are the ABI's `BGT_OUTCOME_...`.
package enum CompletionOutcome: Int32, Hashable, Sendable {
    case success = 1
    case failure = 2
    case noData = 3

    package var taskOutcome: TaskOutcome {
        switch self {
        case .success: .succeeded
        case .failure: .failed
        case .noData: .noData
        }
    }
}

/// The outcome of a launch.
package enum LaunchOutcome: String, Hashable, Sendable, CaseIterable {
    /// Every task and assertion had ended before the process ended, and no task had expired. If a signal ended the
    /// process afterwards, and the host did not kill it, the launch is `crashed`.
    case completed
    case expired
    case overran
    case crashed
    case exited
    case killedForMemory = "killed-for-memory"
    case entryFailed = "entry-failed"
    case loadFailed = "load-failed"
    /// The host was stopped in order during the launch.
    case interrupted
    /// The host or the machine went down during the launch, or the host could not run the launch.
    case lost

    package var meaning: String {
        switch self {
        case .completed: "every task ended, none after an expiration"
        case .expired: "every task ended, at least one after an expiration"
        case .overran: "it was killed at the end of a grace period, or because it used up the reserve of the disk"
        case .crashed: "its process crashed, also after the last task had ended"
        case .exited: "its process exited while a task or an assertion was open"
        case .killedForMemory: "the kernel killed its process for lack of memory"
        case .entryFailed: "the plugin failed or overran in entry, or while its library was loaded"
        case .loadFailed: "the plugin's library could not be loaded"
        case .interrupted: "the host stopped in order"
        case .lost: "the host or the machine went down, or the host could not run the launch"
        }
    }
}

/// The side that caused an outcome.
package enum Blame: String, Hashable, Sendable, CaseIterable {
    case nobody
    case plugin
    case host
    case user
    case machine
    /// The cause cannot be determined.
    case unknown
}

/// The reason for which a task was expired; the numbers are the ABI's `BGT_EXPIRED_...`.
package enum ExpirationReason: UInt32, Hashable, Sendable {
    case budget = 1
    case externalPowerLost = 2
    case networkLost = 3
    case notIdle = 4
    case stoppedByUser = 5
    case noProgress = 6
    case memoryPressure = 7
    case hostShutdown = 8
    case containerLocked = 9
    case leaseLost = 10

    package var name: String {
        switch self {
        case .budget: "budget used up"
        case .externalPowerLost: "external power lost"
        case .networkLost: "network lost"
        case .notIdle: "no longer idle"
        case .stoppedByUser: "stopped by a user"
        case .noProgress: "no progress"
        case .memoryPressure: "memory pressure"
        case .hostShutdown: "host shutting down"
        case .containerLocked: "container locked"
        case .leaseLost: "lease lost"
        }
    }

    /// The side that is blamed when the plugin completes a task as failed after an expiration with this reason.
    package var blame: Blame {
        switch self {
        case .budget, .noProgress: .plugin
        case .externalPowerLost, .networkLost, .notIdle, .memoryPressure, .containerLocked, .leaseLost: .machine
        case .stoppedByUser: .user
        case .hostShutdown: .host
        }
    }
}

/// The end of a process, as reported by the kernel.
package enum ProcessTermination: Hashable, Sendable {
    case exited(code: Int32)
    case signaled(Int32)
    /// The kernel killed the process for lack of memory.
    case outOfMemory
}

/// The report that a crashing runner sends from its signal handler.
package struct LastWords: Hashable, Sendable {
    package let signal: Int32
    package let address: UInt64
    /// The task whose handler ran on the thread that received the signal; nil when that thread ran no task.
    package let task: TaskID?

    package init(signal: Int32, address: UInt64, task: TaskID?) {
        self.signal = signal
        self.address = address
        self.task = task
    }
}
