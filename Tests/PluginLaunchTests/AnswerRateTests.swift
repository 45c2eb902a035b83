// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import PluginLaunch

@Suite("Answers to refused system calls have a rate limit per launch and in total")
struct AnswerRateTests {
    private struct Launch {
        var rate: TokenBucket
        var resumesAt = MonotonicTime(nanoseconds: 0)
        var answers = 0
    }

    /// Simulates `count` launches that repeat refused calls, at 10 µs per answer of the launch thread. Launches for
    /// which `quiet` is true make no calls. Returns the number of answers to each launch.
    private func answers(to count: Int, for duration: Duration, quiet: (Int) -> Bool = { _ in false }) -> [Int] {
        var now = MonotonicTime(nanoseconds: 0)
        var rate = AnswerRate(at: now)
        var launches = (0..<count).map { _ in Launch(rate: AnswerRate.ofLaunch(at: now)) }
        while now < MonotonicTime(nanoseconds: 0) + duration {
            var isIdle = true
            for index in launches.indices where launches[index].resumesAt <= now && !quiet(index) {
                launches[index].resumesAt = rate.answered(&launches[index].rate, at: now) ?? now
                launches[index].answers += 1
                isIdle = false
                now = now + .microseconds(10)
            }
            if isIdle { now = now + .milliseconds(1) }
        }
        return launches.map(\.answers)
    }

    @Test func `a launch's answers to refused system calls pause after its burst until the rate permits the next one`()
        throws
    {
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        var (rate, launch) = (AnswerRate(at: start), AnswerRate.ofLaunch(at: start))
        for _ in 1..<RefusedCalls.burst { #expect(rate.answered(&launch, at: start) == nil) }
        let due = try #require(rate.answered(&launch, at: start))
        let pause = Duration.nanoseconds(RefusedCalls.burst / 4 * 1_000_000_000 / RefusedCalls.callsPerSecond)
        #expect(due == start + pause)
        #expect(rate.answered(&launch, at: due) == nil)
    }

    @Test func `fifty launches that repeat refused calls get little more than the total rate`() {
        let total = answers(to: 50, for: .seconds(10)).reduce(0, +)
        // Each pause permits one answer per launch beyond the rate.
        #expect(total > 150_000 && total <= AnswerRate.burst + 10 * AnswerRate.callsPerSecond + 50 * 100)
    }

    @Test func `one launch alone that repeats refused calls gets little more than its own rate`() {
        let alone = answers(to: 1, for: .seconds(10))[0]
        #expect(alone > 80_000 && alone <= RefusedCalls.burst + 10 * RefusedCalls.callsPerSecond + 100)
    }

    @Test func `each of fifty launches that repeat refused calls gets at least a third of any other's answers`() throws
    {
        let each = answers(to: 50, for: .seconds(10))
        #expect(try #require(each.max()) <= 3 * (try #require(each.min())))
    }

    @Test func `a launch's first answer to a refused call is not paused while the total rate is exhausted`() {
        let start = MonotonicTime(nanoseconds: 0)
        var rate = AnswerRate(at: start)
        var noisy = (0..<4).map { _ in AnswerRate.ofLaunch(at: start) }
        var pauses: [MonotonicTime?] = []
        for _ in 0..<4_000 { pauses = noisy.indices.map { rate.answered(&noisy[$0], at: start) } }
        #expect(pauses.allSatisfy { $0.map { $0 > start } ?? false })
        // The rule pauses a launch only after an answer, so that this one was not paused before; the next one waits.
        var quiet = AnswerRate.ofLaunch(at: start)
        #expect(quiet.resumesAt == nil)
        #expect(rate.answered(&quiet, at: start) != nil)
    }
}
