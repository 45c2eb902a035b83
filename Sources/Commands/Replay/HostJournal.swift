// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Replay
import TaskModel

/// The limit of the launch records that `bgtask replay --from-journal` reads from a host.
enum HostJournal {
    /// Maximum number of launches that are read, counted back from the newest.
    static let launches = 10_000
}

extension LearnedPopulation {
    /// Learns from the recorded launches of a host. The records do not contain which conditions a request required. A
    /// task gets the requirements of the request with its identifier that is pending now; without such a request it
    /// gets none.
    init(_ reply: LaunchListReply, pending: TaskListReply) {
        var needs: [String: Set<Condition>] = [:]
        for task in pending.pending {
            needs[task.identifier] = Set(
                (task.requiresNetwork ? [.network] : []) + (task.requiresExternalPower ? [.externalPower] : [])
            )
        }
        self.init(reply.launches.compactMap(\.observed)) { needs[$0.text] ?? [] }
    }
}

extension LaunchReply {
    /// The launch as an observed one; nil until its end is recorded.
    fileprivate var observed: ObservedLaunch? {
        guard let plugin = PluginIdentifier(plugin), let endedAt,
            let cause = LaunchCause.allCases.first(where: { $0.name == cause }),
            let outcome = outcome.flatMap({ LaunchOutcome(rawValue: $0) })
        else { return nil }
        return ObservedLaunch(
            plugin: plugin,
            cause: cause,
            startedAt: startedAt.wall,
            endedAt: endedAt.wall,
            outcome: outcome,
            runs: tasks.compactMap { $0.observed(startedAt: startedAt.wall, endedAt: endedAt.wall) }
        )
    }
}

extension LaunchReply.Task {
    /// The task as an observed run; nil for an event, and for a task without an outcome.
    fileprivate func observed(startedAt: WallTime, endedAt: WallTime) -> ObservedRun? {
        guard let identifier = identifier.flatMap({ TaskIdentifier($0) }), let kind = TaskKind(name: kind),
            let submitter = submitter.flatMap({ Submitter(name: $0) }),
            let outcome = outcome.flatMap({ TaskOutcome(rawValue: $0) })
        else { return nil }
        return ObservedRun(
            identifier: identifier,
            kind: kind,
            submission: SubmissionNumber(rawValue: submission),
            submitter: submitter,
            submittedAt: submittedAt.wall,
            earliestBegin: earliestBegin?.wall,
            took: max(.zero, (self.endedAt?.wall ?? endedAt) - startedAt),
            outcome: outcome
        )
    }
}
