// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Conditions with fixed values. The configuration fixes values for the lifetime of the host; a user fixes values with
/// `simulate conditions` until they are reset or the host stops. Sensors measure all other conditions.
package struct ScriptedConditions: Hashable, Sendable {
    package var values: [Condition: Bool]
    /// Fixed locks of containers: whether the container of a main plugin is locked.
    package var lockedContainers: [PluginIdentifier: Bool]

    package init(_ values: [Condition: Bool] = [:], lockedContainers: [PluginIdentifier: Bool] = [:]) {
        self.values = values
        self.lockedContainers = lockedContainers
    }

    package var isEmpty: Bool { values.isEmpty && lockedContainers.isEmpty }

    /// The values for users, as `network false, container of com.example.notes locked`; nil without values.
    package var description: String? {
        list(Condition.allCases.filter { values[$0] != nil }, lockedContainers.keys.sorted())
    }

    /// The values that differ from those of `old`, for users. A value that is no longer fixed is called real. Nil when
    /// none differs.
    package func changes(from old: ScriptedConditions) -> String? {
        let plugins = Set(lockedContainers.keys).union(old.lockedContainers.keys).sorted()
        return list(
            Condition.allCases.filter { values[$0] != old.values[$0] },
            plugins.filter { lockedContainers[$0] != old.lockedContainers[$0] }
        )
    }

    private func list(_ conditions: [Condition], _ plugins: [PluginIdentifier]) -> String? {
        let states = conditions.map { "\($0.name) \(values[$0].map { "\($0)" } ?? "real")" }
        let locks = plugins.map { plugin in
            "container of \(plugin) \(lockedContainers[plugin].map { $0 ? "locked" : "unlocked" } ?? "real")"
        }
        return conditions.isEmpty && plugins.isEmpty ? nil : (states + locks).joined(separator: ", ")
    }
}
