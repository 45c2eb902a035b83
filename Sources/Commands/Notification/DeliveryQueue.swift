// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The messages that wait for their delivery, in order. A failed delivery is repeated after a delay that doubles.
struct DeliveryQueue: Codable, Hashable {
    /// The result of one attempt.
    enum Outcome: Hashable {
        case delivered
        /// The attempt failed, and a later one may succeed; has the cause.
        case failed(String)
        /// No later attempt can succeed; has the cause.
        case refused(String)
    }

    /// Maximum number of waiting messages. A further one displaces the oldest.
    static let most = 100
    /// Delay after the first failed attempt.
    static let delay = Duration.seconds(1)
    static let longestDelay = Duration.seconds(300)
    /// Number of attempts after which a message is dropped; about four hours.
    static let attempts = 50

    private struct Entry: Codable, Hashable {
        let message: AlertMessage
        var attempts = 0
        /// Earliest time of the next attempt, in nanoseconds since 1970.
        var notBefore: Int64 = .min
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Time of the next attempt; nil without a message.
    var next: WallTime? { entries.first.map { WallTime(nanoseconds: $0.notBefore) } }

    /// Adds a message. Returns the remark about a displaced message; nil when none is displaced.
    mutating func add(_ message: AlertMessage) -> String? {
        entries.append(Entry(message: message))
        guard entries.count > Self.most else { return nil }
        let oldest = entries.removeFirst()
        return "dropped \(oldest.message.title): \(Self.most) newer messages wait"
    }

    /// The message to deliver now; nil before the time of its next attempt.
    func due(at now: WallTime) -> AlertMessage? {
        guard let first = entries.first else { return nil }
        // A clock that was ahead does not delay a message by more than the longest delay.
        let latest = (now + Self.longestDelay).nanoseconds
        return first.notBefore <= now.nanoseconds || first.notBefore > latest ? first.message : nil
    }

    /// Records the outcome of the attempt to deliver `message`. Returns a remark for the operator; nil for none.
    mutating func settle(_ message: AlertMessage, _ outcome: Outcome, at now: WallTime) -> String? {
        // The message may have been displaced during the attempt.
        guard entries.first?.message == message else { return nil }
        switch outcome {
        case .delivered:
            entries.removeFirst()
            return nil
        case .refused(let cause):
            entries.removeFirst()
            return "dropped \(message.title): \(cause)"
        case .failed(let cause):
            entries[0].attempts += 1
            let attempts = entries[0].attempts
            guard attempts < Self.attempts else {
                entries.removeFirst()
                return "dropped \(message.title) after \(attempts) attempts: \(cause)"
            }
            let delay = min(Self.longestDelay, Self.delay * (1 << min(attempts - 1, 10)))
            entries[0].notBefore = (now + delay).nanoseconds
            return attempts == 1 ? "cannot deliver \(message.title): \(cause); it is repeated" : nil
        }
    }
}

extension AlertMessage {
    /// The alert and its plugin, as the subject of remarks.
    var title: String { "\(newest.alert.rawValue) of \(newest.plugin ?? "the host")" }
}
