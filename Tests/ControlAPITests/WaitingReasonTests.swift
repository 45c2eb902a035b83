// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import Testing

@Suite("A waiting reason has a code, a message and a proposed change")
struct WaitingReasonTests {
    private func reasons() throws -> [Reason] {
        let later = MonotonicTime(nanoseconds: 3_000_000_000)
        let launch = LaunchNumber(rawValue: 41)
        return [
            .pluginMissing(try Samples.plugin()), .pluginRefused(try Samples.plugin(), problem: "a problem"),
            .pluginDisabled(try Samples.plugin()), .pluginPaused(try Samples.plugin(), Samples.pause),
            .identifierNotPermitted(try Samples.task()), .modeMissing(.fetch), .earliestBegin(Samples.now),
            .retryDelay(until: Samples.now, attempts: 1), .spacing(until: later), .externalPower, .network,
            .laneBusy(.background, launch), .othersRunAlone(first: "com.example.first"),
            .launchLimit(.event, limit: 4), .diskReserve(.inodes(free: 1, reserve: 2), usedUpBy: try Samples.plugin()),
            .beingRecorded,
            .runnerUnavailable(until: later, message: "no memory"),
            .hostStopping,
        ]
    }

    @Test func `the eighteen waiting reasons of this suite have different codes and different messages`() throws {
        let replies = try reasons().map { WaitingReason($0, at: Samples.moment) }
        #expect(Set(replies.map(\.code)).count == replies.count)
        #expect(Set(replies.map(\.message)).count == replies.count)
    }

    @Test
    func `the change proposed for a waiting reason has the code of that reason and a message of its own`() throws {
        for reason in try reasons() {
            #expect(ProposedChange(removing: reason).code == WaitingReason(reason, at: Samples.moment).code)
            #expect(ProposedChange(removing: reason).message != WaitingReason(reason, at: Samples.moment).message)
        }
    }

    @Test func `a waiting reason's end on the monotonic clock is reported as wall clock time`() {
        let until = MonotonicTime(nanoseconds: 3_000_000_000)
        #expect(WaitingReason(.spacing(until: until), at: Samples.moment).until?.wall == Samples.now + .seconds(2))
    }

    @Test func `of this suite's waiting reasons, only the five that wait until a given time have an end`() throws {
        let coded = try reasons().map { WaitingReason($0, at: Samples.moment) }.filter { $0.until != nil }.map(\.code)
        #expect(coded == ["plugin-paused", "earliest-begin", "retry-delay", "spacing", "runner-unavailable"])
    }
}
