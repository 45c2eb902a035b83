// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A member of a request that travels through the database as the control API has it.
package enum RequestMember: Codable, Hashable, Sendable {
    case bool(Bool)
    case text(String)
    /// A value of another type, which no request has. It is decoded, so that the other items of an answer are read.
    case invalid

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else {
            self = .invalid
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .bool(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .invalid: try container.encodeNil()
        }
    }
}
