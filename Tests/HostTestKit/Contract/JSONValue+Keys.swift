// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI

extension JSONValue {
    /// Whether a key is not a lower-case ASCII identifier. Such keys count as keys around which `jq` requires quotes.
    package static func isQuoted(_ key: String) -> Bool { key.wholeMatch(of: /[a-z][a-z0-9_]*/) == nil }

    /// The keys of the value and of all values in it around which `jq` requires quotes.
    package var quotedKeys: [String] {
        switch self {
        case .object(let members):
            members.flatMap { key, value in (Self.isQuoted(key) ? [key] : []) + value.quotedKeys }
        case .array(let elements): elements.flatMap(\.quotedKeys)
        case .null, .boolean, .integer, .number, .string: []
        }
    }
}
