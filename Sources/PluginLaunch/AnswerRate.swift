// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// Rate limits for the answers to refused system calls: of each launch, and of all launches together. Many launches
/// that repeat refused calls would otherwise occupy the launch thread.
///
/// A launch waits only after an answer of its own. A launch whose call is the first for some time gets its answer at
/// once, also while the others exceed the limit of all launches.
struct AnswerRate {
    /// Maximum number of answers to all launches together at once; after that, `callsPerSecond` limits them. Both
    /// exceed the limits of one launch.
    static let burst = 10_000
    static let callsPerSecond = 20_000

    private var total: TokenBucket

    init(at now: MonotonicTime) {
        total = TokenBucket(burst: Int64(Self.burst), perSecond: Int64(Self.callsPerSecond), at: now)
    }

    /// The rate limit for answers to the refused system calls of one launch.
    static func ofLaunch(at now: MonotonicTime) -> TokenBucket {
        TokenBucket(burst: Int64(RefusedCalls.burst), perSecond: Int64(RefusedCalls.callsPerSecond), at: now)
    }

    /// Notes an answer to a launch. Returns the time before which the launch gets no further answer; nil while both
    /// limits have answers left.
    ///
    /// - Parameter launch: the limit of the launch.
    mutating func answered(_ launch: inout TokenBucket, at now: MonotonicTime) -> MonotonicTime? {
        launch.spend(1, at: now)
        total.spend(1, at: now)
        return [launch.resumesAt, total.resumesAt].compactMap(\.self).max()
    }
}
