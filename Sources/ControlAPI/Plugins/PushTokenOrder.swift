// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The body of `POST /v1/plugins/{identifier}/push-token`, which issues the device token of a plugin or rotates it.
package struct PushTokenOrder: CallBody, Hashable {
    package static let fields: [BodyField] = [.optional("rotate", .boolean)]

    /// Whether the present token ends; nil stands for false.
    package let rotate: Bool?

    package init(rotating: Bool = false) { rotate = rotating ? true : nil }
}

/// The answer with the device token of a plugin, sent after the commit.
package struct PushTokenReply: Codable, Hashable, Sendable {
    package let plugin: String
    /// The token as 64 hexadecimal digits. A secret: any program that has it can push to the plugin
    /// through a gateway.
    package let token: String
    package let issuedAt: Timestamp
    private let issuedAtSecond: CalendarTime

    package init(_ issued: IssuedPushToken) {
        plugin = issued.plugin.text
        token = issued.token.hexadecimal
        issuedAt = Timestamp(issued.issuedAt)
        issuedAtSecond = CalendarTime(secondOf: issuedAt)
    }

    private enum CodingKeys: String, CodingKey {
        case plugin, token
        case issuedAt = "issued_at_ns"
        case issuedAtSecond = "issued_at"
    }
}

/// The answer to the revocation of a device token.
package struct PushTokenRevocationReply: Codable, Hashable, Sendable {
    package let plugin: String
    /// Whether the plugin had a token.
    package let isRevoked: Bool

    package init(_ plugin: PluginIdentifier, isRevoked: Bool) {
        (self.plugin, self.isRevoked) = (plugin.text, isRevoked)
    }

    private enum CodingKeys: String, CodingKey {
        case plugin
        case isRevoked = "revoked"
    }
}

/// The body of `POST /v1/push-tokens/check`, by which a gateway finds the plugin of a token.
package struct PushTokenCheck: CallBody, Hashable {
    package static let fields: [BodyField] = [.required("token", .text)]

    package let token: String

    package init(token: String) { self.token = token }

    package func validated() throws(RouteError) -> PushToken { try PushToken(validating: token) }
}

extension PushToken {
    /// The token in the field `token` of a body.
    init(validating text: String) throws(RouteError) {
        guard let token = PushToken(hexadecimal: text) else {
            throw RouteError(
                .wordUnknown,
                field: "token",
                "field \"token\" has \(text.utf8.count) bytes, which are not 64 hexadecimal digits",
                remedy: "send the device token as \"bgtask push token PLUGIN\" prints it"
            )
        }
        self = token
    }
}

/// The state of a device token.
package struct PushTokenCheckReply: Codable, Hashable, Sendable {
    package enum State: String, Codable, CaseIterable, Hashable, Sendable {
        case valid
        /// The token was rotated or revoked, or its plugin was dropped.
        case ended
        case unknown
    }

    package let state: State
    /// The plugin of the token; nil for an unknown one.
    package let plugin: String?
    /// The time at which the token ended; nil for any other state.
    package let endedAt: Timestamp?
    private let endedAtSecond: CalendarTime?

    package init(_ state: PushTokenState) {
        var end: WallTime?
        switch state {
        case .valid(let plugin): (self.state, self.plugin) = (.valid, plugin.text)
        case .ended(let plugin, let time):
            (self.state, self.plugin) = (.ended, plugin.text)
            end = time
        case .unknown: (self.state, plugin) = (.unknown, nil)
        }
        endedAt = end.map(Timestamp.init)
        endedAtSecond = endedAt.map(CalendarTime.init(secondOf:))
    }

    private enum CodingKeys: String, CodingKey {
        case state, plugin
        case endedAt = "ended_at_ns"
        case endedAtSecond = "ended_at"
    }
}
