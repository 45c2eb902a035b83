// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The body of `POST /v1/simulate/conditions`, which overrides conditions and locks of containers. Conditions that the
/// body does not name are unchanged; `null` revokes an override. All changes of one body are applied together.
package struct ConditionsSimulation: CallBody, Hashable {
    package static let fields: [BodyField] =
        Condition.allCases.map { .optional($0.key, .booleanOrNull) }
        + [.optional(ConditionKey.lockedContainers.stringValue, .booleansOrNulls)]

    package enum Script: Hashable, Sendable {
        case holds(Bool)
        /// No override: the value from the configuration or the sensors applies.
        case real

        fileprivate init(_ word: Bool?) { self = word.map(Self.holds) ?? .real }

        package var word: Bool? { if case .holds(let holds) = self { holds } else { nil } }
    }

    package let scripts: [Condition: Script]
    /// Overrides of container locks, by the identifier of the main plugin that owns the container. `holds(true)` makes
    /// the container count as locked, `holds(false)` as unlocked; `real` revokes the override.
    package let lockedContainers: [String: Script]

    package init(_ scripts: [Condition: Script], lockedContainers: [PluginIdentifier: Script] = [:]) {
        self.scripts = scripts
        self.lockedContainers = Dictionary(uniqueKeysWithValues: lockedContainers.map { ($0.key.text, $0.value) })
    }

    package init(from decoder: any Decoder) throws {
        let body = try decoder.container(keyedBy: ConditionKey.self)
        var scripts: [Condition: Script] = [:]
        for condition in Condition.allCases where body.contains(ConditionKey(condition)) {
            scripts[condition] = Script(try body.decode(Bool?.self, forKey: ConditionKey(condition)))
        }
        self.scripts = scripts
        lockedContainers =
            try body.decodeIfPresent([String: Bool?].self, forKey: .lockedContainers)?
            .mapValues(Script.init) ?? [:]
    }

    package func encode(to encoder: any Encoder) throws {
        var body = encoder.container(keyedBy: ConditionKey.self)
        for (condition, script) in scripts { try body.encode(script.word, forKey: ConditionKey(condition)) }
        if !lockedContainers.isEmpty {
            try body.encode(lockedContainers.mapValues(\.word), forKey: .lockedContainers)
        }
    }

    package func validated() throws(RouteError) -> ConditionsSimulation {
        for name in lockedContainers.keys.sorted() where PluginIdentifier(name) == nil {
            throw .malformedIdentifier(name, field: ConditionKey.lockedContainers.stringValue)
        }
        if !scripts.isEmpty || !lockedContainers.isEmpty { return self }
        let names = Condition.allCases.map(\.key).joined(separator: ", ")
        let locks = ConditionKey.lockedContainers.stringValue
        throw RouteError(
            .conditionMissing,
            "the body names no condition and no container",
            remedy: "give one of \(names) as true, false or null, or give \(locks) as an object with true, false or"
                + " null for each plugin identifier"
        )
    }
}
