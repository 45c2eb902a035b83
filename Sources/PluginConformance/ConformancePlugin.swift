// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import PluginTrial
package import TaskModel

/// The plugin of the checks, with the scripts that its manifest allows.
package struct ConformancePlugin: Sendable {
    /// The time limits of the scripts, unless a check sets other ones.
    static let budget = Duration.seconds(1)
    static let gracePeriod = Duration.milliseconds(400)
    static let limit = Duration.seconds(10)
    /// Maximum number of identifiers that are run in a launch of their own.
    private static let singleLimit = 4

    package let entry: PluginEntry
    /// Seed of the random payloads that checks deliver.
    package let seed: UInt64
    /// The known kind of each identifier. A handler that is ported from an app of Apple's platforms often expects one
    /// kind.
    package let kinds: [String: TaskKind]

    package init(_ entry: PluginEntry, seed: UInt64, kinds: [String: TaskKind] = [:]) {
        self.entry = entry
        self.seed = seed
        self.kinds = kinds
    }

    /// The same plugin, in which each identifier without a known kind has the kind of its first accepted request in the
    /// logs. Refused requests are ignored, because a host would never deliver their tasks.
    func learning(from logs: [TrialLog]) -> ConformancePlugin {
        var kinds = kinds
        for log in logs {
            for request in log.all({ if case .submitted(let request, _, nil, _) = $0 { request } else { nil } })
            where kinds[request.identifier.text] == nil {
                kinds[request.identifier.text] = request.kind
            }
        }
        return ConformancePlugin(entry, seed: seed, kinds: kinds)
    }

    var isExtension: Bool { entry.role == .extension }

    /// The exact identifiers of the manifest.
    var exact: [TaskIdentifier] {
        entry.permitted.compactMap { if case .exact(let identifier) = $0 { identifier } else { nil } }
    }

    /// One composed identifier for each pattern of the manifest.
    var composed: [TaskIdentifier] {
        entry.permitted.compactMap { permitted in
            if case .pattern(let prefix) = permitted { TaskIdentifier(prefix.text + ".trial") } else { nil }
        }
    }

    /// One task for each exact identifier; without exact identifiers one for each pattern; without both the event
    /// `started`. For an extension, the event `trigger`.
    var tasks: [TrialScript.Task] {
        if isExtension { return [event(.trigger)] }
        let kind: TaskKind? =
            entry.modes.contains(.processing) ? .processing : entry.modes.contains(.fetch) ? .refresh : nil
        let named = exact.map { TrialScript.Task($0.text, kinds[$0.text] ?? kind ?? .continued) }
        if !named.isEmpty { return named }
        return composed.isEmpty ? [event(.started)] : continued
    }

    var continued: [TrialScript.Task] { composed.map { TrialScript.Task($0.text, .continued) } }

    func event(_ type: EventType) -> TrialScript.Task {
        TrialScript.Task(entry.identifier.text, .event, event: type)
    }

    /// A script with the time limits of checks.
    func script(_ tasks: [TrialScript.Task]) -> TrialScript {
        var script = TrialScript(tasks)
        script.budget = Self.budget
        script.gracePeriod = Self.gracePeriod
        script.stallLimit = Self.budget
        script.limit = Self.limit
        return script
    }

    /// One batch with every task. Most checks judge its log.
    package var standard: TrialScript { script(tasks) }

    /// The standard batch, run after `earlierLaunches` equal launches in the same container. The tasks expire after 200
    /// ms, which bounds the time of the launches.
    func repeated(_ earlierLaunches: Int) -> TrialScript {
        var script = standard
        script.earlierLaunches = earlierLaunches
        script.expiration = TrialScript.Expiration(after: .milliseconds(200), .stoppedByUser)
        return script
    }

    /// The events that a host sends to the plugin, each in a launch of its own.
    var events: [TrialScript] {
        if isExtension { return [script([event(.trigger)])] }
        let hasFetch = entry.modes.contains(.fetch) && entry.permitted.isEmpty
        let hasPush = entry.modes.contains(.remoteNotification)
        let types = [EventType.started] + (hasFetch ? [.fetch] : []) + (hasPush ? [.push] : [])
        return types.map { script([event($0)]) }
    }

    /// The launches in which a check looks for violations: the standard batch, each event, and each of the first
    /// `singleLimit` tasks twice, with an expiration right after entry and with one while it runs.
    var ordinary: [TrialScript] {
        [standard] + events.filter { $0 != standard }
            + singles { $0.expiration = TrialScript.Expiration(after: .zero, .stoppedByUser) }
            + singles { $0.expiration = TrialScript.Expiration(after: .milliseconds(50), .memoryPressure) }
    }

    /// Scripts with a single task each: one script for each of the first `singleLimit` tasks.
    ///
    /// - Parameter change: changes each script, for example by an expiration.
    func singles(_ change: (inout TrialScript) -> Void) -> [TrialScript] {
        tasks.prefix(Self.singleLimit).map { task in
            var script = script([task])
            change(&script)
            return script
        }
    }
}
