// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// `POST /v1/simulate/conditions`: take these for true, whatever is. What the body does not name stays as it is; `null`
/// takes a script back. The conditions of one body change together.
package struct ConditionsSimulation: CallBody, Hashable {
    package static let fields: [BodyField] = Condition.allCases.map { .optional($0.rawValue, .booleanOrNull) }

    package enum Script: Hashable, Sendable {
        case holds(Bool)
        /// No script: what the host would go by without one.
        case real
    }

    package let scripts: [Condition: Script]

    package init(_ scripts: [Condition: Script]) { self.scripts = scripts }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
        init(_ condition: Condition) { stringValue = condition.rawValue }
    }

    package init(from decoder: any Decoder) throws {
        let body = try decoder.container(keyedBy: Key.self)
        var scripts: [Condition: Script] = [:]
        for condition in Condition.allCases where body.contains(Key(condition)) {
            scripts[condition] = try body.decode(Bool?.self, forKey: Key(condition)).map(Script.holds) ?? .real
        }
        self.scripts = scripts
    }

    package func encode(to encoder: any Encoder) throws {
        var body = encoder.container(keyedBy: Key.self)
        for (condition, script) in scripts {
            switch script {
            case .holds(let holds): try body.encode(holds, forKey: Key(condition))
            case .real: try body.encodeNil(forKey: Key(condition))
            }
        }
    }

    package func validated() throws(ControlRefusal) -> ConditionsSimulation {
        if !scripts.isEmpty { return self }
        let names = Condition.allCases.map(\.rawValue).joined(separator: ", ")
        throw ControlRefusal(
            .conditionMissing,
            "no condition is named",
            remedy: "give one of \(names) as true, false or null"
        )
    }
}
