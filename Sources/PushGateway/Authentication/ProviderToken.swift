// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
package import TaskModel

/// A JSON Web Token of a sender by Apple's rules, before its signature is verified.
package struct ProviderToken: Hashable, Sendable {
    private struct Head: Decodable {
        let alg: String
        let kid: String
    }

    private struct Claims: Decodable {
        let iss: String
        let iat: NumericDate
    }

    /// Seconds since 1970. Clients send integers, fractions and texts.
    private struct NumericDate: Decodable {
        let seconds: Double

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Double.self) {
                seconds = number
            } else if let number = Double(try container.decode(String.self)) {
                seconds = number
            } else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "no number")
            }
        }
    }

    private static let scheme = "bearer "
    /// Maximum size of a token in bytes; Apple's have about 200.
    static let maximumSize = 2048

    /// The token as the sender wrote it.
    package let text: String
    package let keyID: String
    package let team: String
    package let issuedAt: WallTime
    /// The signed part.
    package let content: Data
    package let signature: Data

    /// The token in the value of the field `authorization`, which may be no valid one; nil without the scheme `bearer`
    /// and for a long value.
    package static func text(inAuthorization field: String) -> String? {
        guard field.utf8.count <= maximumSize, field.prefix(scheme.count).lowercased() == scheme else { return nil }
        return String(field.dropFirst(scheme.count))
    }

    /// The key that the head of a token names; nil unless the head has ES256. Reads nothing else of the token.
    package static func keyID(ofText text: String) -> String? {
        head(text.prefix { $0 != "." })?.kid
    }

    /// Reads the value of the field `authorization`; nil unless it is a token with ES256, a key, a team and a time.
    package init?(authorization: String) {
        guard let text = Self.text(inAuthorization: authorization) else { return nil }
        self.init(text: text)
    }

    /// Reads a token; nil unless it has ES256, a key, a team and a time.
    package init?(text: String) {
        self.text = text
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Self.head(parts[0]),
            let claims: Claims = Self.json(parts[1]), let signature = Self.bytes(parts[2]),
            let time = Self.time(claims.iat.seconds)
        else { return nil }
        keyID = head.kid
        team = claims.iss
        issuedAt = time
        content = Data("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
    }

    private static func head(_ part: Substring) -> Head? {
        let head: Head? = json(part)
        return head?.alg == "ES256" ? head : nil
    }

    private static func json<Value: Decodable>(_ part: Substring) -> Value? {
        bytes(part).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }

    /// The bytes of a text in base 64 for URLs, which has no padding.
    private static func bytes(_ part: Substring) -> Data? {
        var text = String(part.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text)
    }

    private static func time(_ seconds: Double) -> WallTime? {
        guard seconds >= 0, seconds < 9e9 else { return nil }
        return WallTime(nanoseconds: Int64(seconds * 1e9))
    }
}
