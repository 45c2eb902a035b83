// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The sender of a push, as far as the host knows it: the user of the call, and the sender that the call names. A gateway
/// names the keys of its senders, because all their pushes have its own user.
package struct PushSender: Hashable, Sendable {
    /// Size of the digest of a sender's name.
    package static let digestSize = 8

    /// Number of the user; `UInt32.max`, which no user has, when the user is unknown.
    package let user: UInt32
    /// Digest of the name that the call gives its sender.
    package let name: [UInt8]

    package init(user: UInt32?, name: [UInt8]) {
        self.user = user ?? .max
        self.name = Array(name.prefix(Self.digestSize))
    }
}

/// The identity of a push whose sender gave it an identifier: the sender, and a digest of identifier and content. A
/// repetition has the identity of the first push.
package struct PushIdentity: Hashable, Sendable {
    package static let size = 32
    /// Size of the digest of identifier and content.
    package static let digestSize = size - senderSize
    private static let senderSize = 4 + PushSender.digestSize

    package let bytes: [UInt8]

    /// Creates an identity from its bytes; nil unless there are 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// - Parameter digest: the digest of identifier and content; of more than 20 bytes the first ones count.
    package init?(sender: PushSender, digest: [UInt8]) {
        let user = withUnsafeBytes(of: sender.user.bigEndian) { Array($0) }
        self.init(bytes: user + sender.name + digest.prefix(Self.digestSize))
    }

    /// The sender of the push.
    package var sender: PushSender {
        let user = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        return PushSender(user: user, name: Array(bytes[4..<Self.senderSize]))
    }
}

/// The state of an accepted push when its commit was answered.
package enum PushResult: Hashable, Sendable {
    /// The push waits for its launch. It may have replaced a waiting one.
    case stored(replacing: SubmissionNumber?)
    /// A newer push replaced this one before it could be stored.
    case replaced(by: SubmissionNumber)
    /// The deadline of the push had passed, or it had to start at once and could not. The waiting push stays.
    case lapsed
    /// The notification of an alert push was shown.
    case shown
}

/// An accepted push with its answer, which its repetitions get.
package struct AnsweredPush: Hashable, Sendable {
    package let identity: PushIdentity
    package let number: SubmissionNumber
    package let result: PushResult
    /// The deadline of the push; nil for none.
    package let expiresAt: WallTime?
    /// Time of the acceptance.
    package let at: WallTime

    package init(
        identity: PushIdentity,
        number: SubmissionNumber,
        result: PushResult,
        expiresAt: WallTime?,
        at: WallTime
    ) {
        self.identity = identity
        self.number = number
        self.result = result
        self.expiresAt = expiresAt
        self.at = at
    }
}
