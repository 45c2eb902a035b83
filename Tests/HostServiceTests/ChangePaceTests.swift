// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization
import Testing

@testable import HostService

@Suite("An action follows file changes soon, once per burst")
struct ChangePaceTests {
    private typealias Instant = HandTurnedClock.Instant
    private var pace = ChangePace<Instant>()

    private static func at(_ milliseconds: Int) -> Instant { Instant(offset: .milliseconds(milliseconds)) }

    @Test func `a single file change is acted upon after 20 ms without another change`() {
        var pace = pace
        let hasBegunEarly = pace.begin()
        #expect(pace.due == nil && !hasBegunEarly)
        pace.changed(at: Self.at(100))
        #expect(pace.due == Self.at(120))
        let hasBegun = (pace.begin(), pace.begin())
        #expect(hasBegun == (true, false) && pace.due == nil)
    }

    @Test func `each further file change of a burst defers the action, at most half a second after the first`() {
        var pace = pace
        pace.changed(at: Self.at(100))
        pace.changed(at: Self.at(115))
        #expect(pace.due == Self.at(135))
        for moment in stride(from: 130, through: 700, by: 15) { pace.changed(at: Self.at(moment)) }
        #expect(pace.due == Self.at(600))
    }

    @Test func `a long action on file changes is followed by a cooldown of up to half a second`() {
        for (took, end) in [(10, 1_020), (100, 1_300), (5_000, 1_500)] {
            var pace = pace
            pace.changed(at: Self.at(0))
            _ = pace.begin()
            pace.end(at: Self.at(1_000), after: .milliseconds(took))
            pace.changed(at: Self.at(1_000))
            #expect(pace.due == Self.at(end), "\(took)")
        }
    }

    @Test
    func `500 file changes in ten seconds cause fewer than 25 actions, and the last is acted upon within a second`() {
        var pace = pace
        var (now, acted) = (0, 0)
        var latest: Int?
        for change in 0..<500 {
            let moment = change * 20
            while let due = pace.due, due <= Self.at(moment), pace.begin() {
                acted += 1
                now = Int(due.offset / .milliseconds(1))
                pace.end(at: Self.at(now + 150), after: .milliseconds(150))
            }
            pace.changed(at: Self.at(moment))
            latest = moment
        }
        #expect(acted < 25)
        #expect(pace.due.map { $0 <= Self.at((latest ?? 0) + 1_000) } == true)
    }
}

@Suite("A follower of file changes acts after a quiet time")
final class ChangeFollowerTests: Sendable {
    private let clock = HandTurnedClock()
    private let acted = Mutex(0)

    @Test(.timeLimit(.minutes(1)))
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
                #expect(await clock.nextSleep() == ChangePace<HandTurnedClock.Instant>.quiet)
                #expect(acted.withLock { $0 } == number - 1)
                clock.advance(by: ChangePace<HandTurnedClock.Instant>.quiet)
                await begins.next()
            }
            change.finish()
            try await group.waitForAll()
            #expect(acted.withLock { $0 } == 2)
        }
    }
}
