// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The identity of a push whose sender gave it an identifier: a SHA-256 over the user, the identifier and the content of
/// the push. A repetition has the identity of the first push.
package struct PushIdentity: Hashable, Sendable {
    package static let size = 32

    package let bytes: [UInt8]

    /// Creates an identity from its bytes; nil unless there are 32.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
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
