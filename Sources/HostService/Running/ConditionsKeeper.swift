// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Dispatch
import HostConditions
import LinuxSystem
import Scheduling
import ServiceLifecycle
import Synchronization
import TaskModel

/// Provides the conditions in force. A user's override takes precedence over the configuration, and the configuration
/// over the sensors. Reports every change to the scheduler. Sampled conditions are sampled only while the scheduler
/// requests them, and for a minute afterwards.
final class ConditionsKeeper: Service, Sendable {
    private let system: SystemConditions
    private let watched: LingeringWatch
    private let send: @Sendable (SchedulerEvent) -> Void

    /// Time for which sensors stay on after they are no longer needed.
    private static let linger = DispatchTimeInterval.seconds(60)

    /// Creates the keeper and starts the sensors.
    ///
    /// - Parameter send: called with every change, in order. It must not call the keeper.
    init(
        fixed: [Condition: Bool],
        thresholds: ConditionThresholds,
        containerDirectory: String,
        host: Int32,
        send: @escaping @Sendable (SchedulerEvent) -> Void
    ) throws {
        let system = try SystemConditions(
            thresholds: thresholds,
            configured: ScriptedConditions(fixed),
            launchUsage: .processTree(of: host)
        ) { event in
            switch event {
            case .changed(let report): send(.conditionsChanged(report.conditions))
            case .resumed: send(.resumed)
            }
        }
        self.system = system
        self.send = send
        watched = LingeringWatch { watch in
            system.watch(
                watch.sampled ? Condition.sampled : [],
                containers: WatchedContainers(directory: containerDirectory, plugins: watch.containers)
            )
        } afterLinger: { end in
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.linger, execute: end)
        }
    }

    /// Waits until the host stops, then closes the sensors, which have their own thread.
    func run() async throws {
        try? await gracefulShutdown()
        await system.close()
    }

    var now: Conditions { system.report.conditions }

    var inForce: ConditionsReply { ConditionsReply(system.report) }

    func watch(_ watch: Watch) { watched.set(watch) }

    /// Applies a simulation, and reports it to the scheduler for the journal.
    ///
    /// - Parameter user: the calling user; nil when the kernel did not identify the caller.
    func follow(_ simulation: ConditionsSimulation, by user: CallingUser?) -> ConditionsReply {
        let report = system.script { script in
            script.apply(simulation)
            // Sent while the script is locked: the journal has the changes in the order in which they took effect, and
            // before their effects.
            let event = SchedulerEvent.conditionsSimulated(script)
            send(user.map { .byUser($0, event) } ?? event)
        }
        return ConditionsReply(report)
    }
}

extension ConditionsKeeper {
    /// The conditions under which a forecast is computed: those in force, with the changes of a simulation that does
    /// not take place. Conditions that are not sampled now delay no work.
    func forecast(_ simulation: ConditionsSimulation?) -> (conditions: Conditions, reply: ConditionsReply) {
        let report = system.report(changing: { script in if let simulation { script.apply(simulation) } })
        var conditions = report.conditions
        conditions.isUseUnknown = false
        for condition in report.unwatched { conditions[condition] = !condition.row.traits.contains(.trouble) }
        return (conditions, ConditionsReply(report))
    }
}

extension ScriptedConditions {
    fileprivate mutating func apply(_ simulation: ConditionsSimulation) {
        for (condition, said) in simulation.scripts { values[condition] = said.word }
        for (name, said) in simulation.lockedContainers {
            guard let plugin = PluginIdentifier(name) else { continue }
            lockedContainers[plugin] = said.word
        }
    }
}

extension ConditionsReply {
    fileprivate init(_ report: ConditionsReport) {
        self.init(
            states: report.origins.mapValues(State.init),
            lockedContainers: report.containers.mapValues(State.init)
        )
    }
}

extension ConditionsReply.State {
    fileprivate init(_ origin: ConditionsReport.Origin) {
        switch origin.source {
        case .scripted: self.init(origin.holds, source: .simulated)
        case .configuration: self.init(origin.holds, source: .configuration)
        case .sensor(let path, let detail): self.init(origin.holds, source: .sensor, detail: "\(path): \(detail)")
        case .missing(let why): self.init(origin.holds, source: .missing, detail: why)
        case .unwatched: self.init(origin.holds, source: .unwatched)
        }
    }
}
