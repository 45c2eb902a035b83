// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A continued request joins its submitting launch if possible, and that launch moves to the continued lane")
struct ContinuedDeliveryTests {
    let host = SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard(), .mail()) { $0.continuedLaunches = 2 }

    @Test(.proves("C8", 50))
    func `a continued request submitted by a running launch is delivered to that launch`() throws {
        let plan = host.openByUser()
        let answer = host.submitContinued(from: plan)
        #expect(host.deliveries == [.album(1)] && host.plans.count == 1)
        #expect(host.running == [.clean, .album(1)] && host.pending.isEmpty)
        let reported = try #require(answer?.submission)
        #expect(host.ledger.unfinished(of: try #require(plan).number).map(\.number).contains(reported))
    }

    @Test(.proves("C8"))
    func `the submission of a continued request is answered before the request is delivered`() throws {
        let plan = host.openByUser()
        host.forgetThePast()
        host.submitContinued(from: plan)
        let answered = host.actions.firstIndex { if case .answer = $0 { true } else { false } }
        let delivered = host.actions.firstIndex { if case .deliver = $0 { true } else { false } }
        #expect(try #require(answered) < #require(delivered))
    }

    @Test(.proves("C8"))
    func `a launch that takes on a continued task moves to the continued lane and frees the background lane`() {
        let plan = host.openByUser()
        host.submit(.vacuum)
        #expect(host.reasons(.vacuum).map(\.code) == ["lane-busy"])
        host.submitContinued(from: plan)
        #expect(host.lane(of: plan) == .continued)
        #expect(host.reasons(.vacuum).map(\.code) == ["spacing"])
        host.advance(by: .seconds(1))
        #expect(host.lastPlan?.identifiers == [.vacuum])
        #expect(host.running == [.clean, .album(1), .vacuum])
    }

    @Test(.proves(50)) func `due background work starts beside a running continued task of its plugin`() {
        host.submitContinued()
        let plan = host.lastPlan
        host.enter()
        host.submit(.clean, after: .seconds(5))
        host.advance(by: .seconds(5))
        #expect(host.lastPlan?.identifiers == [.clean] && host.lastPlan?.lane == .background)
        host.runToTheEnd()
        #expect(host.outcomes(of: .clean) == [.succeeded])
        #expect(host.running == [.album(1)] && host.lane(of: plan) == .continued && host.expirations.isEmpty)
    }

    @Test(.proves("C8"))
    func `a launch that takes on a continued task frees capacity of the background lane for another plugin`() {
        let host = SchedulerDriver(.studio(), .mail()) { $0.backgroundLaunches = 1 }
        let plan = host.openByUser()
        host.submit(.sweep, by: .plugin(.mail))
        #expect(host.reasons(.sweep).map(\.code) == ["launch-limit"])
        host.submitContinued(from: plan)
        #expect(host.lastPlan?.identifiers == [.sweep])
    }

    @Test(.proves("C8")) func `a background task keeps its deadline beside a continued task, which has no deadline`() {
        let plan = host.openByUser()
        host.advance(by: .minutes(5))
        host.submitContinued(from: plan)
        for minute in 1...40 {
            host.progress(.album(1), Int64(minute), in: plan)
            host.advance(by: .seconds(15))
            if minute == 19 { #expect(host.expirations.isEmpty) }
            if minute == 20 { host.complete(.clean, as: .failure, in: plan) }
        }
        #expect(host.expirations.map(\.tasks) == [[.clean]] && host.expirations.map(\.reason) == [.budget])
        #expect(host.running == [.album(1)] && host.killed.isEmpty)
    }

    @Test(.proves("C8")) func `a launch with a continued task stays open until that task completes`() {
        let plan = host.openByUser()
        host.submitContinued(from: plan)
        host.complete(.clean, in: plan)
        #expect(host.finished.isEmpty)
        host.complete(.album(1), in: plan)
        #expect(host.finished.count == 1 && host.launchOutcomes == [.completed])
    }

    @Test(.proves("C7"))
    func `a background task's overrun of its deadline ends the launch and requeues the continued task uncharged`() {
        let plan = host.openByUser()
        host.submitContinued(from: plan)
        for _ in 1...41 {
            host.progress(.album(1), Int64(host.clock.now.monotonic.nanoseconds), of: .max, in: plan)
            host.advance(by: .seconds(15))
        }
        #expect(host.launchOutcomes == [.overran] && host.outcomes(of: .album(1)) == [.interrupted])
        #expect(host.lastPlan?.identifiers == [.album(1)])
        #expect(host.lastPlan?.tasks.first?.work.retry.attempts == 0)
    }

    @Test(.proves("C8"))
    func `a continued request waits for capacity of the continued lane before it joins its launch`() {
        let plan = host.openByUser()
        host.submitContinued(.inbox)
        let first = host.lastPlan
        host.submitContinued(.sweep)
        host.submitContinued(from: plan)
        #expect(host.reasons(.album(1)) == [.launchLimit(.continued, limit: 2)])
        #expect(host.lane(of: plan) == .background)
        host.runToTheEnd(first)
        #expect(host.deliveries == [.album(1)] && host.lane(of: plan) == .continued)
    }

    @Test(.proves("C8")) func `a second continued task in a continued launch requires no further capacity`() {
        host.submitContinued(.inbox)
        host.submitContinued(.album(1))
        let plan = host.lastPlan
        host.enter(registering: [.album(1), .album(2)])
        host.submitContinued(.album(2), from: plan)
        #expect(host.deliveries == [.album(2)])
    }

    @Test(.proves("C8")) func `a continued request that will join a continued launch does not wait for capacity`() {
        host.submitContinued(.inbox)
        host.submitContinued(.album(1))
        let plan = host.lastPlan
        host.enter(registering: [.album(1), .album(2)])
        host.change(busy: true)
        host.submitContinued(.album(2), from: plan)
        #expect(host.reasons(.album(2)) == [.highLoad])
        host.change(busy: false)
        #expect(host.deliveries == [.album(2)])
    }

    @Test(.proves("C8")) func `a continued request submitted during entry is delivered after entry returns`() {
        host.submit(.clean, after: .hours(1))
        host.requestRun(of: .clean)
        let plan = host.lastPlan
        host.submitContinued(from: plan)
        #expect(host.deliveries.isEmpty && host.plans.count == 1)
        #expect(host.reasons(.album(1)).map(\.code) == ["lane-busy"])
        host.enter(plan, registering: [.clean, .album(1)])
        #expect(host.deliveries == [.album(1)] && host.plans.count == 1)
    }

    @Test(.proves("C8")) func `a continued request submitted in an entry that fails gets its own launch`() {
        host.submit(.clean, after: .hours(1))
        host.requestRun(of: .clean)
        host.submitContinued(from: host.lastPlan)
        host.enter(status: -1)
        #expect(host.lastPlan?.identifiers == [.album(1)] && host.lastPlan?.lane == .continued)
    }

    @Test(.proves("C8")) func `a continued request without a handler in the submitting launch gets its own launch`() {
        let plan = host.openByUser(albums: 2...3)
        host.submitContinued(.album(1), from: plan)
        #expect(host.deliveries.isEmpty)
        #expect(host.lastPlan?.identifiers == [.album(1)] && host.lastPlan?.lane == .continued)
    }

    @Test(.proves("C8"))
    func `the plan of a continued launch contains the full identifier, not the pattern of the manifest`() throws {
        host.submitContinued(.album(7))
        let plan = try #require(host.lastPlan)
        #expect(plan.tasks.map(\.work.label) == ["com.example.app.export.album7"])
    }

    @Test(.proves("C8")) func `a continued request submitted by an extension gets a launch of the main plugin`() {
        host.openByUser()
        host.trigger()
        host.enter()
        host.submitContinued(from: host.lastPlan)
        #expect(host.deliveries.isEmpty && host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves("C7"))
    func `free capacity goes to a continued task that waits to join its launch before a later continued request`() {
        let host = SchedulerDriver(.studio(), .mail()) { $0.continuedLaunches = 1 }
        let plan = host.openByUser()
        host.submitContinued(.inbox)
        let other = host.lastPlan
        host.submitContinued(.album(1), from: plan)
        host.submitContinued(.album(2))
        #expect(host.deliveries.isEmpty)
        host.runToTheEnd(other)
        #expect(host.deliveries == [.album(1)])
        #expect(host.reasons(.album(2)) == [.launchLimit(.continued, limit: 1)])
    }

    @Test(.proves("C8"))
    func `a user's continued request gets its own launch although it replaces a request of a running launch`() {
        let plan = host.openByUser()
        host.change(busy: true)
        host.submitContinued(from: plan)
        host.submitContinued()
        host.change(busy: false)
        #expect(host.deliveries.isEmpty && host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves("C8")) func `a continued request from a launch whose budget is used up gets its own launch`() {
        let plan = host.openByUser()
        host.advance(by: .minutes(10))
        #expect(host.expirations.map(\.tasks) == [[.clean]])
        host.submitContinued(from: plan)
        #expect(host.deliveries.isEmpty && host.lastPlan?.identifiers == [.album(1)])
    }

    @Test(.proves("C8")) func `the time of a continued task does not count against the day budget of its plugin`() {
        let host = SchedulerDriver(.studio()) { $0.policies.dayBudget = .minutes(20) }
        let plan = host.openByUser()
        host.submitContinued(from: plan)
        host.complete(.clean, in: plan)
        for minute in 1...240 {
            host.progress(.album(1), Int64(minute), of: 1_000, in: plan)
            host.advance(by: .seconds(15))
        }
        host.complete(.album(1), in: plan)
        host.submit(.vacuum)
        #expect(host.lastPlan?.identifiers == [.vacuum])
    }

    // MARK: Registration after entry (statement 15)

    @Test(.proves(15)) func `a handler for an identifier that a pattern covers may be registered after entry`() {
        let plan = host.openByUser(albums: 4...4)
        host.register(.exact(.album(1)))
        host.submitContinued(from: plan)
        #expect(host.deliveries == [.album(1)])
        #expect(host.entries(.violation).isEmpty)
    }

    @Test(.proves(15))
    func `a handler for a pattern may be registered after entry and receives a task with a matching identifier`() {
        let plan = host.openByUser(albums: 4...4)
        host.register("com.example.app.export.*")
        host.submitContinued(.album(9), from: plan)
        #expect(host.deliveries == [.album(9)])
    }

    @Test(.proves(14, "BGT-ABI-10"))
    func `registering a listed identifier after entry is a violation in a launch that no user started`() {
        host.submit(.clean)
        host.enter()
        host.register(.exact(.vacuum))
        #expect(host.entries(.violation).map(\.message).count == 1)
        #expect(host.entries(.violation).first?.message.contains("BGT-ABI-10") == true)
    }

    @Test(.proves(15, "C8")) func `a listed identifier may be registered after entry in a launch that a user started`()
    {
        let plan = host.openByUser()
        host.register(.exact(.vacuum))
        host.submitContinued(.vacuum, from: plan)
        #expect(host.deliveries == [.vacuum] && host.entries(.violation).isEmpty)
    }

    @Test(.proves(14, "BGT-ABI-10"))
    func `registering a handler after entry for the identifier of a processing task of the launch is a violation`() {
        host.openByUser(.clean, albums: 1...1)
        host.register(.exact(.clean))
        #expect(host.entries(.violation).count == 1)
    }

    @Test(.proves(15, 17))
    func `a continued task whose identifier has no handler when entry returns ends as not registered`() {
        host.submitContinued(.vacuum)
        host.enter(registering: [.clean])
        #expect(host.outcomes(of: .vacuum) == [.notRegistered])
    }

    @Test(.proves(1))
    func `registering a pattern outside the manifest after entry is a violation and does not affect other handlers`() {
        let plan = host.openByUser()
        host.register("com.example.elsewhere.*")
        #expect(host.entries(.violation).count == 1)
        host.submitContinued(from: plan)
        #expect(host.deliveries == [.album(1)])
    }
}
