// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What the host takes for true about the machine, and who told it each: part of `GET /v1/host`, and the answer to
/// `POST /v1/simulate/conditions`.
package struct ConditionsReply: Codable, Hashable, Sendable {
    package enum Source: String, Codable, Hashable, Sendable {
        case configuration
        /// A person's `simulate conditions`, which holds until it is taken back or the host ends.
        case scripted
    }

    package struct Condition: Codable, Hashable, Sendable {
        package let holds: Bool
        package let source: Source

        package init(_ holds: Bool, source: Source) {
            self.holds = holds
            self.source = source
        }
    }

    package let externalPower: Condition
    package let network: Condition

    package init(externalPower: Condition, network: Condition) {
        self.externalPower = externalPower
        self.network = network
    }

    private enum CodingKeys: String, CodingKey {
        case externalPower = "external-power"
        case network
    }
}
