// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials

/// How every body of the control API becomes bytes and back: JSON with sorted keys. Knows none of the bodies.
package enum WireCoding {
    /// One line, without its end: also what a line of a stream holds.
    package static func encode(_ body: some Encodable) throws -> Data {
        try encoder(formatting: []).encode(body)
    }

    /// The same text, spread over lines for readers.
    package static func encodeReadably(_ body: some Encodable) throws -> Data {
        try encoder(formatting: .prettyPrinted).encode(body)
    }

    package static func decode<Body: Decodable>(_ type: Body.Type = Body.self, from data: Data) throws -> Body {
        try JSONDecoder().decode(type, from: data)
    }

    /// What is wrong with a body, in one line that names the key.
    package static func explanation(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .keyNotFound(let key, let context):
            return "key \"\(path(context.codingPath + [key]))\" is missing"
        case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
            let place = context.codingPath.isEmpty ? "body" : "key \"\(path(context.codingPath))\""
            return "\(place): \(context.debugDescription)"
        @unknown default: return "\(error)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(separator: ".")
    }

    private static func encoder(formatting: JSONEncoder.OutputFormatting) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }
}
