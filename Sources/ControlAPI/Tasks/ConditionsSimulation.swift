// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// `POST /v1/simulate/conditions`: take these for true, whatever is. What the body does not name stays as it is; `null`
/// takes a script back. The conditions of one body change together.
package struct ConditionsSimulation: CallBody, Hashable {
    package static let fields: [BodyField] = [
        .optional("external-power", .booleanOrNull), .optional("network", .booleanOrNull),
    ]

    package enum Script: Hashable, Sendable {
        case holds(Bool)
        /// No script: what the host would go by without one.
        case real
    }

    package let externalPower: Script?
    package let network: Script?

    package init(externalPower: Script? = nil, network: Script? = nil) {
        self.externalPower = externalPower
        self.network = network
    }

    package init(from decoder: any Decoder) throws {
        let body = try decoder.container(keyedBy: CodingKeys.self)
        func script(_ key: CodingKeys) throws -> Script? {
            guard body.contains(key) else { return nil }
            return try body.decode(Bool?.self, forKey: key).map(Script.holds) ?? .real
        }
        externalPower = try script(.externalPower)
        network = try script(.network)
    }

    package func encode(to encoder: any Encoder) throws {
        var body = encoder.container(keyedBy: CodingKeys.self)
        func write(_ script: Script?, _ key: CodingKeys) throws {
            switch script {
            case .holds(let holds): try body.encode(holds, forKey: key)
            case .real: try body.encodeNil(forKey: key)
            case nil: break
            }
        }
        try write(externalPower, .externalPower)
        try write(network, .network)
    }

    package func validated() throws(ControlRefusal) -> ConditionsSimulation {
        if externalPower != nil || network != nil { return self }
        throw ControlRefusal(
            .conditionMissing,
            "no condition is named",
            remedy: "give external-power or network as true, false or null"
        )
    }

    private enum CodingKeys: String, CodingKey {
        case externalPower = "external-power"
        case network
    }
}
