// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The value in force of each condition and container lock, with its source.
package struct ConditionsReport: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
        /// A user set the value with `simulate conditions`; in force until a user resets it or the host ends.
        case scripted
        /// The operator's configuration, which overrides every sensor.
        case configuration
        /// A sensor measured the value.
        ///
        /// - Parameters:
        ///   - path: path of the file, or another source.
        ///   - detail: the evidence, for users.
        case sensor(path: String, detail: String)
        /// No source provides the condition; the string gives the cause.
        case missing(String)
        /// No value: no pending decision depends on the condition, so it is not sampled, or its source has not answered
        /// yet.
        case unwatched
    }

    package struct Origin: Hashable, Sendable {
        package let holds: Bool
        package let source: Source

        /// The value that a user's override, the configuration or a sensor provides; nil when none of them provides
        /// one.
        var knownValue: Bool? {
            switch source {
            case .scripted, .configuration, .sensor: holds
            case .missing, .unwatched: nil
            }
        }
    }

    package let origins: [Condition: Origin]
    /// Whether the container of a main plugin is locked, with the origin of this value; for each container that is
    /// watched, configured or overridden by a user.
    package let containers: [PluginIdentifier: Origin]

    /// Combines the sources of values. An override by a user takes precedence over the operator's configuration, and
    /// the configuration over every sensor.
    ///
    /// - Parameters:
    ///   - configured: the values in the operator's configuration.
    ///   - scripted: the overrides by users, set by `simulate conditions`.
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
        let (configuredLocks, scriptedLocks) = (configured.lockedContainers, scripted.lockedContainers)
        var containers: [PluginIdentifier: Origin] = [:]
        for plugin in Set(readings.containers.keys).union(configuredLocks.keys).union(scriptedLocks.keys) {
            containers[plugin] = Origin(
                readings.containers[plugin] ?? .unwatched,
                configured: configuredLocks[plugin],
                scripted: scriptedLocks[plugin]
            )
        }
        self.containers = containers
    }

    package func holds(_ condition: Condition) -> Bool { origins[condition]?.holds ?? false }

    /// The conditions that are not sampled now.
    package var unwatched: [Condition] { Condition.all.filter { origins[$0]?.source == .unwatched } }

    /// The conditions in the form that the scheduler uses.
    package var conditions: Conditions {
        Conditions(
            Condition.all.filter(holds),
            isUseUnknown: Condition.all.contains { $0.isAwaitedTrouble && origins[$0]?.source == .unwatched },
            containerLocks: containers.compactMapValues(\.knownValue)
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
