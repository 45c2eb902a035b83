// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
package import TaskModel

/// The priority of a push.
package enum PushPriority: String, CaseIterable, Hashable, Sendable {
    case normal
    /// The push waits for external power, and its task expires when external power is lost.
    case low
}

/// The body of `POST /v1/plugins/{identifier}/push`, which sends a background push or an alert push to a main
/// plugin.
package struct PluginPush: CallBody, Hashable {
    package static let fields: [BodyField] = [
        .optional("payload", .base64), .optional("expires_at", .time), .optional("priority", .text),
        .optional("token", .text), .optional("only_now", .boolean), .optional("id", .text),
        .optional("sender", .text), .optional("alert", .text), .optional("subtitle", .text), .optional("body", .text),
        .optional("topic", .text), .optional("mutable", .boolean),
    ]

    /// The payload, encoded in base 64; nil for an empty one.
    package let payload: Data?
    /// The deadline; nil for none.
    package let expiresAt: CalendarTime?
    /// The priority; nil for the normal one.
    package let priority: String?
    /// The device token by which a remote sender addresses the plugin; nil for a sender on this machine. Only the valid
    /// token of the plugin is accepted.
    package let token: String?
    /// Whether the push lapses unless it can start at once; nil stands for false.
    package let onlyNow: Bool?
    /// The identifier of the push, a UUID that the sender chooses; nil for none. A repetition with the same content
    /// gets the answer of the first push.
    package let id: String?
    /// The sender of a push with an identifier, when one user sends for several, as a gateway does; nil for the user.
    /// Each sender has its own identifiers, and its share of the answers that the host keeps.
    package internal(set) var sender: String?
    /// The title of an alert push; nil for a background push.
    package internal(set) var alert: String?
    /// The second line of an alert; nil for none.
    package internal(set) var subtitle: String?
    package internal(set) var body: String?
    /// The topic of an alert; nil for none.
    package internal(set) var topic: String?
    /// Whether a notification service extension of the plugin may change an alert; nil stands for false.
    package internal(set) var mutable: Bool?

    package init(
        payload: [UInt8] = [],
        expiresAt: WallTime? = nil,
        priority: PushPriority = .normal,
        token: PushToken? = nil,
        onlyNow: Bool = false,
        id: UUID? = nil
    ) {
        self.payload = CarriedPayload.data(payload)
        self.expiresAt = expiresAt.map { CalendarTime(Timestamp($0)) }
        self.priority = priority == .normal ? nil : priority.rawValue
        self.token = token?.hexadecimal
        self.onlyNow = onlyNow ? true : nil
        self.id = id?.uuidString.lowercased()
    }

    private enum CodingKeys: String, CodingKey {
        case payload, priority, token, id, sender, alert, subtitle, body, topic, mutable
        case expiresAt = "expires_at"
        case onlyNow = "only_now"
    }

    /// The fields of a valid push.
    package struct Valid: Hashable, Sendable {
        package let payload: [UInt8]
        package let expiresAt: WallTime?
        package let priority: PushPriority
        package let token: PushToken?
        package let isOnlyNow: Bool
        package let id: UUID?
        /// The name of the sender; empty when the call names none.
        package let sender: String
        /// The alert; nil for a background push.
        package let alert: ValidAlert?
    }

    package func validated() throws(RouteError) -> Valid {
        Valid(
            payload: try CarriedPayload.bytes(payload, limit: TaskRequest.maximumPushPayload),
            expiresAt: expiresAt?.time.wall,
            priority: try validPriority(),
            token: try token.map { text throws(RouteError) in try PushToken(validating: text) },
            isOnlyNow: onlyNow ?? false,
            id: try id.map { text throws(RouteError) in try Self.identifier(text) },
            sender: try validSender(),
            alert: try validAlert()
        )
    }

    /// The push as that of a sender.
    package func sent(by sender: String) -> PluginPush {
        var push = self
        push.sender = sender
        return push
    }

    /// Maximum number of bytes of a sender's name.
    private static let mostSenderBytes = 64

    private func validSender() throws(RouteError) -> String {
        guard let sender else { return "" }
        let isPlain = sender.utf8.allSatisfy { (0x20...0x7e).contains($0) }
        if isPlain, (1...Self.mostSenderBytes).contains(sender.utf8.count) { return sender }
        throw RouteError(
            .textTooLong,
            field: "sender",
            "field \"sender\" has \(sender.utf8.count) bytes, or other characters than those of ASCII",
            remedy: "write 1 to \(Self.mostSenderBytes) characters of ASCII without control characters"
        )
    }

    private static func identifier(_ text: String) throws(RouteError) -> UUID {
        if let id = UUID(uuidString: text) { return id }
        throw RouteError(
            .wordUnknown,
            field: "id",
            "field \"id\" has \(text.utf8.count) bytes, which are no UUID",
            remedy: "send a UUID, such as eabeae54-14a8-11e5-b60b-1697f925ec7b, or leave the field out"
        )
    }

    private func validPriority() throws(RouteError) -> PushPriority {
        guard let priority else { return .normal }
        if let valid = PushPriority(rawValue: priority) { return valid }
        throw RouteError(
            .wordUnknown,
            field: "priority",
            "field \"priority\" is \"\(priority)\", which is not a known value",
            remedy: NearestWord.remedy(for: priority, among: PushPriority.allCases.map(\.rawValue))
        )
    }
}

/// The answer to a push, sent after its commit.
package struct PluginPushReply: Codable, Hashable, Sendable {
    /// The state of a push at the time of the answer.
    package enum State: String, Codable, CaseIterable, Hashable, Sendable {
        /// The push waits for its delivery, or an alert for its extension or an earlier alert of its topic.
        case stored
        /// A newer push replaced this one before it was stored.
        case replaced
        /// The deadline of the push had passed, or it had to start at once and could not. The waiting push of the plugin stays.
        case lapsed
        /// The notification of the alert is shown.
        case shown
    }

    package let plugin: String
    /// The submission number of the push.
    package let submission: Int64
    package let state: State
    /// The number of the waiting push that this push replaced; nil without one.
    package let replaced: Int64?
    /// The number of the newer push that replaced this one; nil without one.
    package let successor: Int64?
    /// The deadline of the push; nil without one.
    package let expiresAt: Timestamp?
    private let expiresAtSecond: CalendarTime?

    package init(
        _ number: SubmissionNumber,
        plugin: PluginIdentifier,
        state: State,
        replacing replaced: SubmissionNumber? = nil,
        successor: SubmissionNumber? = nil,
        expiresAt: WallTime? = nil
    ) {
        self.plugin = plugin.text
        submission = number.rawValue
        self.state = state
        self.replaced = replaced?.rawValue
        self.successor = successor?.rawValue
        self.expiresAt = expiresAt.map(Timestamp.init)
        expiresAtSecond = self.expiresAt.map(CalendarTime.init(secondOf:))
    }

    private enum CodingKeys: String, CodingKey {
        case plugin, submission, state, replaced, successor
        case expiresAt = "expires_at_ns"
        case expiresAtSecond = "expires_at"
    }
}
