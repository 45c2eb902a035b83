// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import Testing

@testable import HostService

@Suite("An action follows file changes soon, once per burst")
struct ChangeRateLimitTests {
    private typealias Instant = HandTurnedClock.Instant
    private var rateLimit = ChangeRateLimit<Instant>()

    private static func at(_ milliseconds: Int) -> Instant { Instant(offset: .milliseconds(milliseconds)) }

    @Test func `a single file change is acted upon after 20 ms without another change`() {
        var rateLimit = rateLimit
        let hasBegunEarly = rateLimit.begin()
        #expect(rateLimit.due == nil && !hasBegunEarly)
        rateLimit.changed(at: Self.at(100))
        #expect(rateLimit.due == Self.at(120))
        let hasBegun = (rateLimit.begin(), rateLimit.begin())
        #expect(hasBegun == (true, false) && rateLimit.due == nil)
    }

    @Test func `further file changes of a burst defer the action, but at most half a second beyond the first change`() {
        var rateLimit = rateLimit
        rateLimit.changed(at: Self.at(100))
        rateLimit.changed(at: Self.at(115))
        #expect(rateLimit.due == Self.at(135))
        for moment in stride(from: 130, through: 700, by: 15) { rateLimit.changed(at: Self.at(moment)) }
        #expect(rateLimit.due == Self.at(600))
    }

    @Test func `a long action on file changes is followed by a cooldown of up to half a second`() {
        for (took, end) in [(10, 1_020), (100, 1_300), (5_000, 1_500)] {
            var rateLimit = rateLimit
            rateLimit.changed(at: Self.at(0))
            _ = rateLimit.begin()
            rateLimit.end(at: Self.at(1_000), after: .milliseconds(took))
            rateLimit.changed(at: Self.at(1_000))
            #expect(rateLimit.due == Self.at(end), "\(took)")
        }
    }

    @Test
    func `500 file changes in ten seconds cause fewer than 25 actions, and the last is acted upon within a second`() {
        var rateLimit = rateLimit
        var (now, acted) = (0, 0)
        var latest: Int?
        for change in 0..<500 {
            let moment = change * 20
            while let due = rateLimit.due, due <= Self.at(moment), rateLimit.begin() {
                acted += 1
                now = Int(due.offset / .milliseconds(1))
                rateLimit.end(at: Self.at(now + 150), after: .milliseconds(150))
            }
            rateLimit.changed(at: Self.at(moment))
            latest = moment
        }
        #expect(acted < 25)
        #expect(rateLimit.due.map { $0 <= Self.at((latest ?? 0) + 1_000) } == true)
    }
}

@Suite("A follower of file changes acts after a quiet time")
final class ChangeFollowerTests: Sendable {
    private let clock = HandTurnedClock()
    private let acted = Mutex(0)

    @Test(.timeLimit(.minutes(10)))
    func `a file change during an action leads to another action after the next quiet time`() async throws {
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let follower = ChangeFollower(changes, clock: clock)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await follower.run {
                    let number = self.acted.withLock { count in
                        count += 1
                        return count
                    }
                    // The change arrives while the action runs.
                    if number == 1 { change.yield() }
                    begin.yield()
                }
            }
            var begins = began.makeAsyncIterator()
            change.yield()
            for number in 1...2 {
                #expect(await clock.nextSleep() == ChangeRateLimit<HandTurnedClock.Instant>.quiet)
                #expect(acted.withLock { $0 } == number - 1)
                clock.advance(by: ChangeRateLimit<HandTurnedClock.Instant>.quiet)
                await begins.next()
            }
            change.finish()
            try await group.waitForAll()
            #expect(acted.withLock { $0 } == 2)
        }
    }
}
