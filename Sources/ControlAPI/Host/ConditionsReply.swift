// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// What the host takes for true about the machine, and who told it each: part of `GET /v1/host`, and the answer to
/// `POST /v1/simulate/conditions`.
package struct ConditionsReply: Codable, Hashable, Sendable {
    package enum Source: String, Codable, Hashable, Sendable, CaseIterable {
        case configuration
        /// A person's `simulate conditions`, which holds until it is taken back or the host ends.
        case scripted
        case sensor
        /// Nothing on this machine tells.
        case missing
        /// Not looked at, since nobody waits for it.
        case unwatched
    }

    package struct State: Codable, Hashable, Sendable {
        /// Nil when nothing sampled the condition, by `missing` and `unwatched`: then no decision takes it to hold.
        package let holds: Bool?
        package let source: Source
        /// What a sensor was read from and found, or why there is none.
        package let detail: String?

        package init(_ holds: Bool, source: Source, detail: String? = nil) {
            self.holds = source == .missing || source == .unwatched ? nil : holds
            self.source = source
            self.detail = detail
        }
    }

    /// Every condition.
    package let states: [Condition: State]
    /// By main plugin: whether its container is locked, where somebody waits for that.
    package let lockedContainers: [String: State]

    package subscript(condition: Condition) -> State { states[condition] ?? State(false, source: .missing) }

    package init(states: [Condition: State], lockedContainers: [PluginIdentifier: State] = [:]) {
        self.states = states
        self.lockedContainers = Dictionary(uniqueKeysWithValues: lockedContainers.map { ($0.key.text, $0.value) })
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
        init(_ condition: Condition) { stringValue = condition.key }
        static let lockedContainers = Key(stringValue: "locked_containers")
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        var states: [Condition: State] = [:]
        for condition in Condition.allCases {
            states[condition] = try container.decode(State.self, forKey: Key(condition))
        }
        self.states = states
        lockedContainers = try container.decode([String: State].self, forKey: .lockedContainers)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for condition in Condition.allCases { try container.encode(self[condition], forKey: Key(condition)) }
        try container.encode(lockedContainers, forKey: .lockedContainers)
    }
}
