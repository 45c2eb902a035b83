// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Replay
import TaskModel

/// The limit of the launch records that `bgtask replay --from-journal` reads from a host.
enum HostJournal {
    /// Maximum number of launches that are read, counted back from the newest.
    static let launches = 10_000
}

extension PluginPopulation {
    /// Creates a population from the recorded launches of a host. The records do not contain which conditions a request
    /// required. A task gets the requirements of the request with its identifier that is pending now; without such a
    /// request it gets none.
    init(_ reply: LaunchListReply, pending: TaskListReply) {
        var needs: [String: Set<Condition>] = [:]
        for task in pending.pending {
            needs[task.identifier] = Set(
                (task.requiresNetwork ? [.network] : []) + (task.requiresExternalPower ? [.externalPower] : [])
            )
        }
        self.init(observed: reply.launches.flatMap(\.runs)) { needs[$0.text] ?? [] }
    }
}

extension LaunchReply {
    /// The tasks of the launch that have ended, as observed runs; events are left out.
    fileprivate var runs: [ObservedRun] {
        guard let plugin = PluginIdentifier(plugin) else { return [] }
        return tasks.compactMap { task in
            guard let identifier = task.identifier.flatMap({ TaskIdentifier($0) }),
                let kind = TaskKind(name: task.kind),
                let outcome = task.outcome.flatMap({ TaskOutcome(rawValue: $0) }), let ended = task.endedAt ?? endedAt
            else { return nil }
            return ObservedRun(
                plugin: plugin,
                identifier: identifier,
                kind: kind,
                startedAt: startedAt.wall,
                took: max(.zero, ended.wall - startedAt.wall),
                outcome: outcome
            )
        }
    }
}
