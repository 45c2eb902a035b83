// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The device token of a plugin: the secret by which a sender addresses the plugin on this host. 32 random bytes.
package struct PushToken: Hashable, Sendable {
    package static let size = 32

    package let bytes: [UInt8]

    /// Creates a token from its bytes; nil unless there are 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Creates a random token.
    package init(using random: inout some RandomNumberGenerator) {
        bytes = (0..<Self.size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// Creates a token from 64 hexadecimal digits of either case; nil for other text.
    package init?(hexadecimal text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 2 * Self.size else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(of: digits[index]), let low = Self.value(of: digits[index + 1]) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        self.bytes = bytes
    }

    /// The token as 64 hexadecimal digits in lower case.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xf)]] })
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// A change of the device token of a plugin.
package enum PushTokenChange: Hashable, Sendable {
    /// The plugin gets the token, unless it has one.
    case issue(PushToken)
    /// The plugin gets the token, and its previous one ends.
    case rotate(to: PushToken)
    /// The token of the plugin ends.
    case revoke
}

/// A valid device token, as recorded.
package struct IssuedPushToken: Hashable, Sendable {
    package let plugin: PluginIdentifier
    package let token: PushToken
    package let issuedAt: WallTime

    package init(plugin: PluginIdentifier, token: PushToken, issuedAt: WallTime) {
        (self.plugin, self.token, self.issuedAt) = (plugin, token, issuedAt)
    }
}

/// The state of a device token that a sender uses.
package enum PushTokenState: Hashable, Sendable {
    case valid(PluginIdentifier)
    case ended(PluginIdentifier, at: WallTime)
    /// The host never issued the token, or forgot that it ended.
    case unknown
}

// The token is a secret: descriptions of a token, and of values with one, have none of its bytes.
extension PushToken: CustomStringConvertible, CustomReflectable {
    package var description: String { "device token" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
