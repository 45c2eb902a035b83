// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import PushGateway

@Suite("A key may send a burst of pushes, then a number in each second, and no key takes from another", .proves("C22"))
struct FloodLimitTests {
    @Test func `a bucket permits the burst, and refills at its rate up to the burst`() {
        var bucket = TokenBucket(rate: 2, burst: 3, at: Samples.start)
        let times: [Duration] = [.zero, .zero, .zero, .zero, .milliseconds(400), .milliseconds(500)]
        let taken = times.map { bucket.take(at: Samples.start + $0) }
        #expect(taken == [true, true, true, false, false, true])
        let later = (1...4).map { _ in bucket.take(at: Samples.start + .seconds(3600)) }
        #expect(later == [true, true, true, false])
    }

    @Test func `a time before the last one refills nothing`() {
        var bucket = TokenBucket(rate: 1, burst: 1, at: Samples.start)
        let taken = [10, 0, 10, 11].map { bucket.take(at: Samples.start + .seconds($0)) }
        #expect(taken == [true, false, false, true])
    }

    @Test func `the flood of one key does not use up the pushes of another`() {
        let limits = FloodLimits(rate: 1, burst: 1)
        #expect(limits.take("key a", at: Samples.start))
        #expect(!limits.take("key a", at: Samples.start))
        #expect(limits.take("key b", at: Samples.start))
    }

    @Test func `a sender with many pushes in progress leaves places to others`() {
        let places = SenderPlaces(2)
        #expect(places.take("key a") && places.take("key a") && !places.take("key a") && places.take("key b"))
        places.release("key a")
        #expect(places.take("key a") && !places.take("key a"))
    }

    @Test func `of many messages one in ten seconds is written, with the number of the omitted ones`() {
        let limiter = ReportLimiter()
        #expect(limiter.message("a", at: Samples.start) == "a")
        #expect(limiter.message("b", at: Samples.start + .seconds(9)) == nil)
        #expect(limiter.message("c", at: Samples.start + .seconds(10)) == "c (1 messages omitted)")
        #expect(limiter.message("d", at: Samples.start + .seconds(20)) == "d")
    }
}
