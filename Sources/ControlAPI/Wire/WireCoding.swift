// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
import TaskModel

/// The encoding and decoding of all bodies of the control API: JSON with sorted keys. Characters that could control a
/// terminal are written as `\u` escapes, so that a body can be printed as it is.
package enum WireCoding {
    /// Encodes a body as one line of JSON without a newline; also used for the lines of a stream.
    package static func encode(_ body: some Encodable) throws -> Data {
        try terminalSafe(encoder(formatting: []).encode(body))
    }

    /// Encodes a body as indented JSON on several lines.
    package static func encodeReadably(_ body: some Encodable) throws -> Data {
        try terminalSafe(encoder(formatting: .prettyPrinted).encode(body))
    }

    package static func decode<Body: Decodable>(_ type: Body.Type = Body.self, from data: Data) throws -> Body {
        try JSONDecoder().decode(type, from: data)
    }

    /// The message of a coding error, in one line that names the key.
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

    private static func terminalSafe(_ json: Data) -> Data {
        // Most bodies are ASCII.
        if json.withUnsafeBytes({ $0.allSatisfy { $0 < 0x7f } }) { return json }
        return Data(String(decoding: json, as: UTF8.self).terminalSafeJSON.utf8)
    }

    private static func encoder(formatting: JSONEncoder.OutputFormatting) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }
}
