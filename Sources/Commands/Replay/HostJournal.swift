// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Replay
import TaskModel

/// The part of a host's past that a replay is made of.
enum HostJournal {
    /// Number of launches, counted from the newest.
    static let launches = 10_000
}

extension PluginPopulation {
    /// Launches do not say what their requests needed; what is pending now does, for each task that asks again.
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
    /// Its tasks that ended; events are left out.
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
