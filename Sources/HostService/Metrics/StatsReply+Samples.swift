// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskLedger
import TaskModel

extension TaskSamples {
    /// The statistics of the samples by plugin and kind, ordered by plugin, then by kind.
    var rows: [StatsReply.Row] {
        var groups: [GroupKey: Group] = [:]
        for sample in samples {
            groups[GroupKey(plugin: sample.plugin, kind: sample.kind), default: Group()].add(sample)
        }
        return groups.keys.sorted().compactMap { key in groups[key]?.row(key) }
    }
}

private struct GroupKey: Hashable, Comparable {
    let plugin: PluginIdentifier
    let kind: TaskKind

    static func < (left: Self, right: Self) -> Bool {
        (left.plugin, left.kind.rawValue) < (right.plugin, right.kind.rawValue)
    }
}

/// The samples of one plugin and one kind.
private struct Group {
    private var lastLaunch: LaunchNumber?
    private var launches = 0
    private var counts: [Verdict: Int] = [:]
    private var delays: [Duration] = []
    private var runTimes: [Duration] = []
    private var budgetUses: [Int] = []

    private enum Verdict { case succeeded, failed, interrupted }

    /// Adds a sample. Samples of one launch follow each other.
    mutating func add(_ sample: TaskSamples.Sample) {
        delays.append(sample.delay)
        if let outcome = sample.outcome { counts[Self.verdict(outcome), default: 0] += 1 }
        if sample.launch == lastLaunch { return }
        lastLaunch = sample.launch
        launches += 1
        guard let used = sample.used else { return }
        runTimes.append(used)
        if let budget = sample.budget, budget > .zero {
            budgetUses.append(Int(clamping: Int64((min(used / budget, 1_000) * 100).rounded())))
        }
    }

    func row(_ key: GroupKey) -> StatsReply.Row? {
        StatsReply.Durations(delays).map { delay in
            StatsReply.Row(
                plugin: key.plugin,
                kind: key.kind,
                launches: launches,
                succeeded: counts[.succeeded] ?? 0,
                failed: counts[.failed] ?? 0,
                interrupted: counts[.interrupted] ?? 0,
                delay: delay,
                runTime: StatsReply.Durations(runTimes),
                budgetUsed: StatsReply.Percents(budgetUses)
            )
        }
    }

    private static func verdict(_ outcome: TaskOutcome) -> Verdict {
        switch outcome {
        case .succeeded, .noData: .succeeded
        case .interrupted, .continues: .interrupted
        case .failed, .retrying, .expired, .overran, .notRegistered, .abandoned, .crashed, .exited, .killedForMemory,
            .entryFailed, .loadFailed, .noProgress:
            .failed
        }
    }
}
