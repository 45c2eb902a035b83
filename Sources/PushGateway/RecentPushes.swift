// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
import DequeModule
import Synchronization
package import TaskModel

/// The accepted pushes of the last ten minutes that have an identifier. A client repeats a push when it lost the
/// answer, such as at the end of its connection: the repetition gets the first answer, and is no second push.
package final class RecentPushes: Sendable {
    /// The identity of a push. Senders choose identifiers, so that one sender cannot use up those of another, and use
    /// some for several messages: the content belongs to the identity. The time of a deadline does not, because clients
    /// compute it for each attempt.
    package struct Key: Hashable, Sendable {
        private let sender: String
        private let token: PushToken
        private let plugin: PluginIdentifier
        private let id: String
        private let isLowPriority: Bool
        private let isOnlyNow: Bool
        private let isAlert: Bool
        private let digest: SHA256Digest

        /// The identity of a push; nil when it has no identifier.
        package init?(_ push: APNsRequest, body: [UInt8], sender: String) {
            guard let id = push.id else { return nil }
            self.sender = sender
            token = push.token
            plugin = push.topic
            self.id = id.lowercased()
            isLowPriority = push.isLowPriority
            isOnlyNow = push.expiration == .now
            isAlert = push.alert != nil
            digest = SHA256.hash(data: body)
        }
    }

    private enum Entry {
        /// The host has not answered yet; has the repetitions that wait for the answer.
        case inProgress([CheckedContinuation<PushVerdict, Never>])
        case accepted
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The accepted pushes, oldest first.
        var accepted: Deque<(key: Key, at: MonotonicTime)> = []
    }

    private static let retention: Duration = .seconds(600)
    /// Maximum number of accepted pushes; the oldest ones are dropped.
    private static let capacity = 100_000

    private let state = Mutex(State())

    package init() {}

    /// The number of repetitions that wait for the answer to a push in progress.
    var waitingRepetitions: Int {
        state.withLock { state in
            state.entries.values.reduce(0) { count, entry in
                guard case .inProgress(let waiting) = entry else { return count }
                return count + waiting.count
            }
        }
    }

    /// Returns the verdict of a push: that of `push`, or of the first push with the key. Only an acceptance is kept:
    /// after any other answer a repetition is a new attempt.
    package func once(
        _ key: Key,
        at now: MonotonicTime,
        push: () async -> PushVerdict
    ) async -> PushVerdict {
        if let verdict = await earlierVerdict(key, at: now) { return verdict }
        let verdict = await push()
        let waiting = state.withLock { state -> [CheckedContinuation<PushVerdict, Never>] in
            defer { state.entries[key] = verdict == .accepted ? .accepted : nil }
            if verdict == .accepted { state.accepted.append((key, now)) }
            guard case .inProgress(let waiting) = state.entries[key] else { return [] }
            return waiting
        }
        for continuation in waiting { continuation.resume(returning: verdict) }
        return verdict
    }

    /// The verdict of the first push with the key, when the host has answered; nil for a first push, which is then in
    /// progress.
    private func earlierVerdict(_ key: Key, at now: MonotonicTime) async -> PushVerdict? {
        let isFirst = state.withLock { state in
            Self.prune(&state, at: now)
            if state.entries[key] != nil { return false }
            state.entries[key] = .inProgress([])
            return true
        }
        if isFirst { return nil }
        return await withCheckedContinuation { continuation in
            let verdict: PushVerdict? = state.withLock { state in
                switch state.entries[key] {
                case .inProgress(let waiting):
                    state.entries[key] = .inProgress(waiting + [continuation])
                    return nil
                case .accepted: return .accepted
                // The first push ended otherwise in between: the repetition may try again.
                case nil: return .unavailable
                }
            }
            if let verdict { continuation.resume(returning: verdict) }
        }
    }

    private static func prune(_ state: inout State, at now: MonotonicTime) {
        while let oldest = state.accepted.first,
            now - oldest.at > retention || state.accepted.count > capacity
        {
            state.accepted.removeFirst()
            state.entries[oldest.key] = nil
        }
    }
}
