// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// What is taken for true about the machine, and who told it each.
package struct ConditionsReport: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        /// A person's `simulate conditions`, which holds until it is taken back or the host ends.
        case scripted
        /// The operator's word, which no sensor overrules.
        case configuration
        /// - Parameters:
        ///   - path: or whatever else was asked.
        ///   - detail: what was found there.
        case sensor(path: String, detail: String)
        /// Nothing tells, and why.
        case missing(String)
        /// Not looked at, since nobody waits for it.
        case unwatched
    }

    package struct Origin: Hashable, Sendable {
        package let holds: Bool
        package let source: Source

        /// Nil where nobody told.
        var told: Bool? {
            switch source {
            case .scripted, .configuration, .sensor: holds
            case .missing, .unwatched: nil
            }
        }
    }

    package let origins: [Condition: Origin]
    /// Whether the container of each main plugin is locked that somebody watches or has said something about.
    package let containers: [PluginIdentifier: Origin]

    /// A person's script wins over the operator's word, and that over every sensor.
    init(_ readings: Readings, configured: ScriptedConditions, scripted: ScriptedConditions) {
        var origins: [Condition: Origin] = [:]
        for condition in Condition.allCases {
            origins[condition] = Origin(
                readings.conditions[condition] ?? .unwatched,
                configured: configured.values[condition],
                scripted: scripted.values[condition]
            )
        }
        self.origins = origins
        let (said, scripts) = (configured.lockedContainers, scripted.lockedContainers)
        var containers: [PluginIdentifier: Origin] = [:]
        for plugin in Set(readings.containers.keys).union(said.keys).union(scripts.keys) {
            containers[plugin] = Origin(
                readings.containers[plugin] ?? .unwatched,
                configured: said[plugin],
                scripted: scripts[plugin]
            )
        }
        self.containers = containers
    }

    package func holds(_ condition: Condition) -> Bool { origins[condition]?.holds ?? false }

    /// What decisions go by.
    package var conditions: Conditions {
        Conditions(
            Condition.all.filter(holds),
            isUseUnknown: Condition.all.contains { $0.isAwaitedTrouble && origins[$0]?.source == .unwatched },
            containerLocks: containers.compactMapValues(\.told)
        )
    }
}

extension ConditionsReport.Origin {
    fileprivate init(_ reading: ConditionReading, configured: Bool?, scripted: Bool?) {
        if let scripted {
            self.init(holds: scripted, source: .scripted)
        } else if let configured {
            self.init(holds: configured, source: .configuration)
        } else {
            self.init(holds: reading.holds, source: reading.source)
        }
    }
}

extension ConditionReading {
    fileprivate var source: ConditionsReport.Source {
        switch self {
        case .measured(_, let path, let detail): .sensor(path: path, detail: detail)
        case .missing(let why): .missing(why)
        case .unwatched: .unwatched
        }
    }
}
