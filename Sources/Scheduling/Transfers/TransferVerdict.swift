// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The way in which a try of a transfer ended.
enum TransferTry: Hashable, Sendable {
    /// The transfer library reported the end.
    case reported(TransferEnd)
    /// The library completed the task without a report, or the try was expired because it stood still.
    case failed
    /// The library crashed in this transfer.
    case crashed
    /// The try was ended by the host or the machine, for no reason of the transfer's own.
    case cutOff
}

/// What follows from the end of a try. A pure decision: no try charges the plugin, and a transfer ends without a result
/// of its own only when nothing has moved for a long time.
struct TransferVerdict: Sendable {
    enum Decision: Hashable, Sendable {
        case ends(TransferState, TransferFault?)
        /// The transfer is tried again, after the delay if there is one.
        case again(Retry, delay: Duration?)
    }

    /// Number of crashes without a movement after which a transfer fails.
    private static let mostCrashes = 10
    /// Number of crashes from which on the transfer runs in a launch by itself.
    private static let crashesBeforeAlone = 2
    private static let firstDelay: Duration = .seconds(10)
    private static let longestDelay: Duration = .seconds(600)
    /// The longest delay that a server may ask for, and the longest time that counts between two tries.
    private static let day: Duration = .seconds(86_400)

    let decision: Decision
    /// The transfer with the facts of the try.
    let transfer: Transfer

    /// - Parameters:
    ///   - hasMoved: whether the try moved the cursor of the transfer.
    ///   - isCancelled: whether the transfer was cancelled or stopped while it ran.
    init(
        on transfer: Transfer,
        after ending: TransferTry,
        hasMoved: Bool,
        retry: Retry,
        isCancelled: Bool,
        under rules: TransferRules,
        using random: inout some RandomNumberGenerator,
        at now: WallTime
    ) {
        var transfer = transfer
        var hasMoved = hasMoved
        var retryAfter: Duration = .zero
        if case .reported(let end) = ending {
            hasMoved = hasMoved || end.bytes > transfer.bytes
            retryAfter = min(max(.zero, end.retryAfter ?? .zero), Self.day)
            transfer.take(end)
        }
        transfer.noteTry(hasMoved: hasMoved, isCutOff: ending == .cutOff, atMost: Self.day, at: now)
        self.transfer = transfer
        if let end = Self.end(after: ending, isCancelled: isCancelled) {
            decision = end
            return
        }
        var retry = retry
        retry.wasInterrupted = true
        if hasMoved { (retry.attempts, retry.failures, retry.runsAlone) = (0, 0, false) }
        if ending == .cutOff {
            decision = .again(retry, delay: nil)
            return
        }
        if ending == .crashed { retry.attempts += 1 }
        if transfer.idle >= rules.noProgressLimit {
            decision = .ends(.failed, .noProgress)
        } else if retry.attempts >= Self.mostCrashes {
            decision = .ends(.failed, .libraryCrashed)
        } else {
            retry.failures += 1
            retry.runsAlone = retry.attempts >= Self.crashesBeforeAlone
            let delay = max(retryAfter, Self.delay(after: retry.failures, using: &random))
            retry.notBefore = now + delay
            decision = .again(retry, delay: delay)
        }
    }

    private static func end(after ending: TransferTry, isCancelled: Bool) -> Decision? {
        guard case .reported(let end) = ending else { return isCancelled ? .ends(.cancelled, nil) : nil }
        switch end.result {
        case .finished: return .ends(.finished, nil)
        case _ where isCancelled: return .ends(.cancelled, nil)
        case .fatal: return .ends(.failed, end.fault ?? .httpStatus)
        case .transient: return nil
        }
    }

    /// The delay after a number of tries: doubled after each further one, with a jitter of a fifth.
    private static func delay(after tries: Int, using random: inout some RandomNumberGenerator) -> Duration {
        let regular = min(firstDelay * (1 << min(max(0, tries - 1), 10)), longestDelay)
        return regular + regular * Int.random(in: -200...200, using: &random) / 1_000
    }
}

extension Transfer {
    fileprivate mutating func take(_ end: TransferEnd) {
        bytes = end.bytes
        total = end.total
        httpStatus = end.httpStatus
        fault = end.result == .finished ? nil : end.fault
        message = end.message.bounded(toBytes: TransferEnd.longestMessage)
    }

    /// Adds the time since the last try to the time without movement. A wrong clock adds at most `limit`. A try that
    /// was cut off adds nothing, and ends no such time: a machine that starts every day would never reach the limit.
    fileprivate mutating func noteTry(hasMoved: Bool, isCutOff: Bool, atMost limit: Duration, at now: WallTime) {
        if hasMoved {
            idle = .zero
        } else if !isCutOff, let triedAt {
            idle += min(max(.zero, now - triedAt), limit)
        }
        triedAt = now
    }
}
