// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Replay
import TaskModel

/// Reads the part of a host's history that `--from-journal` replays.
enum HostJournal {
    /// Maximum number of launches that are read, counted from the newest.
    static let launches = 10_000
}

extension PluginPopulation {
    /// Creates a population from past launches. Launches do not record the conditions that their requests required:
    /// these come from the pending requests of the same tasks.
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
    /// The tasks of the launch that have ended, without events.
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
