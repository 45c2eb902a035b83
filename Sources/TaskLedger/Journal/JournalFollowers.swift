// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The streams that announce new journal entries. They carry only the numbers of entries; followers read the entries
/// from the ledger.
final class JournalFollowers: Sendable {
    private struct State {
        var streams: [Int: AsyncStream<JournalNumber>.Continuation] = [:]
        var nextKey = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    func follow() -> AsyncStream<JournalNumber> {
        // A slow follower needs only the last number: it reads all entries up to it at once.
        let (stream, continuation) = AsyncStream.makeStream(
            of: JournalNumber.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let key = state.withLock { state -> Int? in
            if state.isFinished { return nil }
            state.nextKey += 1
            state.streams[state.nextKey] = continuation
            return state.nextKey
        }
        guard let key else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: key) }
        }
        return stream
    }

    func announce(_ last: JournalNumber) {
        for stream in state.withLock({ Array($0.streams.values) }) { stream.yield(last) }
    }

    func finish() {
        let streams = state.withLock { state in
            state.isFinished = true
            return Array(state.streams.values)
        }
        // Outside the lock, because the termination handler of each stream takes the lock.
        for stream in streams { stream.finish() }
    }
}
