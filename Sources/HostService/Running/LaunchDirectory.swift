// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import PluginLaunch
import TaskModel

/// What the loop knows of launches beyond the core. Belongs to its thread.
struct LaunchDirectory {
    struct MissingPayload: Error, CustomStringConvertible {
        let submission: SubmissionNumber
        var description: String { "the commit of its start came back without the payload of submission \(submission)" }
    }

    /// The judge of each launch whose plan was sent.
    var judges: [LaunchNumber: RunnerJudge] = [:]
    /// Launches whose container is being made.
    var containers = AwaitedContainers()
    /// Payloads of the tasks that the commit in hand started; empty at any other time.
    var payloads: [SubmissionNumber: [UInt8]] = [:]

    mutating func takePayload(of task: PlannedTask) throws(MissingPayload) -> [UInt8] {
        guard let payload = payloads.removeValue(forKey: task.work.number) else {
            throw MissingPayload(submission: task.work.number)
        }
        return payload
    }

    mutating func ended(_ launch: LaunchNumber) { judges[launch] = nil }
}

/// Joins the two halves of what a launch needs, its runner and its container, whichever is there first.
struct AwaitedContainers {
    private enum State {
        /// With the events of the runner, which wait for the container.
        case awaited([LaunchEvent])
        /// The launch was given up; its runner is being ended.
        case failed
    }

    private var states: [LaunchNumber: State] = [:]

    mutating func began(_ launch: LaunchNumber) { states[launch] = .awaited([]) }

    /// Returns the event when it is to be handled now; otherwise it waits for the container, or is no longer of interest.
    mutating func filter(_ event: LaunchEvent) -> LaunchEvent? {
        switch states[event.launch] {
        case nil: return event
        case .awaited(let events): states[event.launch] = .awaited(events + [event])
        case .failed: if event.isLast { states[event.launch] = nil }
        }
        return nil
    }

    /// Returns the events that waited for the container.
    mutating func made(_ launch: LaunchNumber) -> [LaunchEvent] {
        guard case .awaited(let events) = states.removeValue(forKey: launch) else { return [] }
        return events
    }

    /// Returns whether there is, or will be, a runner to be ended.
    mutating func failed(_ launch: LaunchNumber) -> Bool {
        guard case .awaited(let events) = states.removeValue(forKey: launch) else { return false }
        if events.contains(where: \.isLast) { return false }
        states[launch] = .failed
        return true
    }
}

extension LaunchEvent {
    /// Whether nothing of the launch follows.
    fileprivate var isLast: Bool {
        switch self {
        case .unavailable, .ended: true
        case .ready, .message, .malformed, .windowExceeded, .output, .outputDropped, .killedAtDeadline: false
        }
    }
}
