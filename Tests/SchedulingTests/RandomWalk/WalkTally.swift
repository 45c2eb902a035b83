// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// Counts of the events and checks of walks, as evidence that the walks covered them.
struct WalkTally {
    var walks = 0
    var restarts = 0
    /// Number of comparisons of the scheduler with the naive host. `changes` is the number of times that a change
    /// proposed by `why` was made in a copy of the host.
    var looks = 0
    var changes = 0
    /// Number of runs after which a task continued at its cursor, and of tasks that ended as `no-progress`.
    var continued = 0
    var withoutProgress = 0
    private var events: [SchedulerEvent.Kind: Int] = [:]

    var eventCount: Int { events.values.reduce(0, +) }

    mutating func note(_ event: SchedulerEvent) { events[event.kind, default: 0] += 1 }

    mutating func note(_ entry: JournalEntry) {
        if entry.event == .task(.continues) { continued += 1 }
        if entry.event == .task(.noProgress) { withoutProgress += 1 }
    }

    mutating func add(_ other: WalkTally) {
        walks += other.walks
        restarts += other.restarts
        looks += other.looks
        changes += other.changes
        continued += other.continued
        withoutProgress += other.withoutProgress
        events.merge(other.events, uniquingKeysWith: +)
    }

    /// The counts as text.
    ///
    /// - Parameter seconds: The duration of all walks.
    func report(seeds: ClosedRange<UInt64>, seconds: Double) -> String {
        let each = seconds > 0 ? Int(Double(eventCount) / seconds) : 0
        let head = """
            \(eventCount) events in \(walks) walks, seeds \(seeds.lowerBound) to \(seeds.upperBound), \
            in \(Int(seconds.rounded())) s: \(each) events a second
            \(restarts) restarts; compared with the naive host \(looks) times; \(changes) smallest changes made
            \(continued) runs continued at their cursor; \(withoutProgress) tasks ended as no-progress
            """
        let kinds = SchedulerEvent.Kind.allCases.map { "    \($0.rawValue): \(events[$0] ?? 0)" }
        return ([head] + kinds).joined(separator: "\n")
    }
}

extension SchedulerEvent {
    enum Kind: String, CaseIterable {
        case submission, trigger, push, cancellation, simulation, stop = "stop of a task", purge, pause
        case commit, failedCommit = "commit that fails", load, failedLoad = "load that fails"
        case catalogue, conditions, timeZone = "change of a time zone", resume, timer, shutdown = "stop of the host"
        case runner, noRunner = "runner that is not to be had", launchFailedByHost = "launch that failed by the host"
        case entry, registration, progress, fetchInterval = "fetch interval", completion
        case expirationHandler = "expiration handler", expiration = "expiration by a runner", assertion
        case violation, end = "end of a process", kill = "kill by the launch thread"
    }

    var kind: Kind {
        switch self {
        case .submitted: .submission
        case .triggered: .trigger
        case .pushed, .alerted: .push
        case .transferBegun: .submission
        case .cancelRequested, .cancelAllRequested: .cancellation
        case .runRequested, .expirationSimulated, .conditionsSimulated, .configured: .simulation
        case .taskStopRequested, .launchStopRequested: .stop
        case .pauseRequested, .resumeRequested, .cursorClearRequested, .pushTokenChangeRequested,
            .transferPauseRequested, .leaseRenewed, .leaseDeletionRequested:
            .pause
        case .purgeRequested: .purge
        case .byUser(_, let event): event.kind
        case .committed: .commit
        case .commitFailed: .failedCommit
        case .loaded: .load
        case .notLoaded: .failedLoad
        case .catalogued: .catalogue
        case .conditionsChanged, .diskSampled: .conditions
        case .timeZonesChanged: .timeZone
        case .resumed: .resume
        case .timerFired: .timer
        case .stopRequested: .shutdown
        case .leftoverKilled: .kill
        case .runnerReady, .launchUnlimited: .runner
        case .runnerUnavailable: .noRunner
        case .launchFailedByHost: .launchFailedByHost
        case .entered, .loadFailed: .entry
        case .registered: .registration
        case .progressed, .cursorsRead, .cursorWritten, .transferTaken: .progress
        case .fetchIntervalSet: .fetchInterval
        case .completed, .transferEnded: .completion
        case .expirationHandlerChanged: .expirationHandler
        case .runnerExpired: .expiration
        case .assertionBegan, .assertionEnded: .assertion
        case .notificationChanged, .violated, .denied: .violation
        case .killTimePassed: .kill
        case .runnerEnded: .end
        }
    }
}
