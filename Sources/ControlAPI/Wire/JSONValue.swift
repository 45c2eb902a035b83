// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials

/// Any JSON value. It is used to check the shape of a body before the body is decoded.
package enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses JSON. Throws the error of the decoder when `data` is not JSON.
    package init(parsing data: Data) throws { self = try WireCoding.decode(from: data) }

    /// The value as quoted in messages. Strings are cut after 40 characters.
    package var words: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let text): text.count > 40 ? "\"\(text.prefix(40))...\"" : "\"\(text)\""
        case .array: "a list"
        case .object: "an object"
        }
    }
}

extension JSONValue: Decodable {
    /// Decodes a value of unknown type by attempts. Strings, the most frequent values, come first, because the decoder
    /// creates an error for each failed attempt.
    package init(from decoder: any Decoder) throws {
        let scalar = try decoder.singleValueContainer()
        if scalar.decodeNil() {
            self = .null
        } else if let text = try? scalar.decode(String.self) {
            self = .string(text)
        } else if let members = try? decoder.container(keyedBy: AnyKey.self) {
            self = .object(try Self.members(in: members))
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSONValue.self)) }
            self = .array(values)
        } else {
            self = try Self(scalar: scalar)
        }
    }

    /// The members of an object; throws when the value is none.
    static func members(of decoder: any Decoder) throws -> [String: JSONValue] {
        try members(in: decoder.container(keyedBy: AnyKey.self))
    }

    private static func members(in container: KeyedDecodingContainer<AnyKey>) throws -> [String: JSONValue] {
        let pairs = try container.allKeys.map { ($0.stringValue, try container.decode(JSONValue.self, forKey: $0)) }
        return Dictionary(pairs) { first, _ in first }
    }

    private init(scalar container: any SingleValueDecodingContainer) throws {
        if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else {
            self = .number(try container.decode(Double.self))
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
