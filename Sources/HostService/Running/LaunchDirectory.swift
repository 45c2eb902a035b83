// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import PluginLaunch
import Scheduling
import TaskModel

/// The decision loop's own data about launches, in addition to the data of the scheduler. Only the loop's thread uses
/// it.
struct LaunchDirectory {
    struct MissingPayload: Error, CustomStringConvertible {
        let submission: SubmissionNumber
        var description: String {
            "the ledger returned no payload of submission \(submission) when it recorded the start of the task;"
                + " report this defect of bgtaskd"
        }
    }

    /// The judge of each launch whose runner was sent its confinement: it translates the runner's messages into
    /// scheduler events.
    var judges: [LaunchNumber: RunnerJudge] = [:]
    /// Launches that sent a message before their first message from the host. The message is logged once per launch.
    var unexpected: Set<LaunchNumber> = []
    /// Launches whose container is being created.
    var containers = AwaitedContainers()
    /// The main bundle of each launch whose runner is started in one, until its plan is sent.
    var bundles: [LaunchNumber: MainBundle] = [:]
    /// Launches whose runner is requested only when their main bundle exists.
    var withoutRunner: Set<LaunchNumber> = []
    /// Values of secret settings of each launch whose plan was not sent yet.
    var secrets: [LaunchNumber: [String: String]] = [:]
    /// The cursors of running tasks.
    var cursors = CursorKeeper()
    /// Reports of the cursors that were sent to runners; empty between two turns of the loop.
    var cursorReports: [SchedulerEvent] = []
    /// Payloads of the tasks that the current commit started; empty at other times.
    var payloads: [SubmissionNumber: [UInt8]] = [:]
    /// Cursors of those tasks; no entry for a task without a cursor.
    var startingCursors: [SubmissionNumber: TaskCursor] = [:]

    mutating func takePayload(of task: PlannedTask) throws(MissingPayload) -> [UInt8] {
        guard let payload = payloads.removeValue(forKey: task.work.number) else {
            throw MissingPayload(submission: task.work.number)
        }
        return payload
    }

    mutating func takeCursorReports() -> [SchedulerEvent] {
        defer { cursorReports = [] }
        return cursorReports
    }

    mutating func ended(_ launch: LaunchNumber) {
        judges[launch] = nil
        secrets[launch] = nil
        bundles[launch] = nil
        unexpected.remove(launch)
    }
}

/// Tracks the container of each launch until it is created. A launch needs a runner and a container, which become ready
/// in either order; events of the runner wait for the container.
struct AwaitedContainers {
    private enum State {
        /// The container is not ready. The value contains the events of the runner that wait for it.
        case awaited([LaunchEvent])
        /// The container could not be created; the runner is being killed.
        case failed
    }

    private var states: [LaunchNumber: State] = [:]

    mutating func began(_ launch: LaunchNumber) { states[launch] = .awaited([]) }

    /// Returns the event if it can be handled now; nil if it waits for the container of its launch, or is not needed
    /// because making that container failed.
    mutating func filter(_ event: LaunchEvent) -> LaunchEvent? {
        switch states[event.launch] {
        case nil: return event
        case .awaited(let events): states[event.launch] = .awaited(events + [event])
        case .failed: if event.isLast { states[event.launch] = nil }
        }
        return nil
    }

    /// Marks the container of a launch as ready, and returns the events of the launch that waited for it.
    mutating func made(_ launch: LaunchNumber) -> [LaunchEvent] {
        guard case .awaited(let events) = states.removeValue(forKey: launch) else { return [] }
        return events
    }

    /// Marks the container as failed. Returns whether the launch has a runner that has to be killed.
    ///
    /// - Parameter hasRunner: whether the runner of the launch was requested.
    mutating func failed(_ launch: LaunchNumber, hasRunner: Bool = true) -> Bool {
        guard case .awaited(let events) = states.removeValue(forKey: launch) else { return false }
        if !hasRunner || events.contains(where: \.isLast) { return false }
        states[launch] = .failed
        return true
    }
}

extension LaunchEvent {
    /// Whether the event is the last one of its launch.
    fileprivate var isLast: Bool {
        switch self {
        case .unavailable, .ended: true
        case .ready, .wrote, .unlimited, .failedByHost, .message, .refused, .malformed, .windowExceeded, .output,
            .outputDropped, .killTimePassed:
            false
        }
    }
}
