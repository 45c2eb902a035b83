// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The conditions that the host assumes, with the source of each. Part of `GET /v1/host`, and the answer to `POST
/// /v1/simulate/conditions`.
package struct ConditionsReply: Codable, Hashable, Sendable {
    package enum Source: String, Codable, Hashable, Sendable, CaseIterable {
        case configuration
        /// A user set the value with `simulate conditions`. It applies until a user resets it or the host ends.
        case simulated
        case sensor
        /// No sensor of this machine can measure the condition.
        case missing
        /// The condition is not sampled, because no work waits for it, or its source has not answered yet.
        case unwatched
    }

    package struct State: Codable, Hashable, Sendable {
        /// Whether the condition holds; nil for the sources `missing` and `unwatched`, because nothing sampled the
        /// condition. Decisions then assume that the condition does not hold.
        package let holds: Bool?
        package let source: Source
        /// The origin and the value of the measurement, or the cause of a missing sensor; nil for the other sources.
        package let detail: String?

        package init(_ holds: Bool, source: Source, detail: String? = nil) {
            self.holds = source == .missing || source == .unwatched ? nil : holds
            self.source = source
            self.detail = detail
        }
    }

    /// The state of each condition.
    package let states: [Condition: State]
    /// The lock states of containers, by identifier of the main plugin: of the plugins whose lock is watched,
    /// configured or simulated. Nil when there are none.
    package let lockedContainers: [String: State]?

    package subscript(condition: Condition) -> State { states[condition] ?? State(false, source: .missing) }

    package init(states: [Condition: State], lockedContainers: [PluginIdentifier: State] = [:]) {
        self.states = states
        let locks = lockedContainers.map { ($0.key.text, $0.value) }
        self.lockedContainers = locks.isEmpty ? nil : Dictionary(uniqueKeysWithValues: locks)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ConditionKey.self)
        var states: [Condition: State] = [:]
        for condition in Condition.allCases {
            states[condition] = try container.decode(State.self, forKey: ConditionKey(condition))
        }
        self.states = states
        lockedContainers = try container.decodeIfPresent([String: State].self, forKey: .lockedContainers)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ConditionKey.self)
        for condition in Condition.allCases { try container.encode(self[condition], forKey: ConditionKey(condition)) }
        try container.encodeIfPresent(lockedContainers, forKey: .lockedContainers)
    }
}
