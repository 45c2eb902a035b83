// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A message of a runner affects only the launch of that runner")
struct ForgedMessageTests {
    let host = SchedulerDriver(.app(), .mail())

    private func launchBoth() throws -> (app: LaunchPlan, mail: LaunchPlan) {
        host.submit(.clean)
        host.submit(.sweep, by: .plugin(.mail))
        for plan in host.plans { host.enter(plan) }
        return (host.plans[0], try #require(host.plans.last))
    }

    @Test(.proves("C2")) func `a completion of another launch's task is a violation and has no effect`() throws {
        let plans = try launchBoth()
        host.send(.completed(plans.app.number, plans.mail.tasks[0].id, .success))
        #expect(host.running == [.clean, .sweep])
        let violation = try #require(host.entries(.violation).first)
        #expect(violation.plugin == .app && violation.blame == .plugin)
        #expect(violation.message.contains("BGT-ABI-08"))
    }

    @Test(.proves("C2"))
    func `registering a handler for an identifier outside the manifest is a violation and has no effect`() throws {
        host.submit(.clean)
        host.enter(registering: [.clean, .sweep])
        let violation = try #require(host.entries(.violation).first)
        #expect(violation.message.contains("BGT-ABI-10") && violation.message.contains(TaskIdentifier.sweep.text))
        #expect(host.running == [.clean])
    }

    @Test(.proves("C2")) func `a second return from entry is ignored`() {
        host.submit(.clean)
        host.enter()
        host.enter(registering: [])
        host.enter(status: -1)
        #expect(host.running == [.clean] && host.killed.isEmpty)
    }

    @Test(.proves("C2")) func `a load failure reported after entry returned is ignored`() throws {
        host.submit(.clean)
        host.enter()
        host.send(.loadFailed(try #require(host.lastPlan).number, message: "forged"))
        #expect(host.running == [.clean] && host.killed.isEmpty)
    }

    @Test(.proves("C2")) func `messages that a runner sends before it receives its plan are ignored`() {
        host.runners = .held
        host.submit(.clean)
        let launch = host.heldRunners[0]
        let task = TaskID(launch: launch, index: 0)
        host.send(.entered(launch, status: 0, registered: [.exact(.clean)], offersReceive: true))
        host.send(.completed(launch, task, .success))
        host.send(.violated(launch, rule: .processOfHost, message: "forged"))
        host.bringRunners()
        host.send(.runnerExpired(launch, [task], .budget))
        #expect(host.running == [.clean] && host.journal.isEmpty)
    }

    @Test(.proves("C2")) func `messages that a runner sends after its kill are ignored`() throws {
        host.processesObey = false
        host.submit(.clean)
        host.enter()
        host.advance(by: .minutes(11))
        let plan = try #require(host.lastPlan)
        host.complete(.clean)
        host.setExpirationHandler(for: .clean)
        host.send(.loadFailed(plan.number, message: "forged"))
        host.end(nil, .signaled(9))
        #expect(host.outcomes(of: .clean) == [.expired])
    }

    @Test(.proves("C2")) func `messages of ended or unknown launches add no journal entry`() throws {
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.vacuum)
        let before = host.journal.count
        for number in [try #require(host.lastPlan).number, LaunchNumber(rawValue: 999)] {
            host.send(.entered(number, status: 0, registered: [.exact(.sweep)], offersReceive: true))
            host.send(.completed(number, TaskID(launch: number, index: 0), .failure))
            host.send(.violated(number, rule: .processOfHost, message: "changed the signal mask"))
            host.send(.runnerEnded(number, .signaled(11), nil))
            host.send(.runnerUnavailable(number, message: "late"))
        }
        #expect(host.journal.count == before)
        // A runner reported as unavailable would delay the next launch of the plugin.
        #expect(host.pending == [.vacuum] && host.running.isEmpty && host.killed.isEmpty)
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean], [.vacuum]])
    }

    @Test(.proves("C2"))
    func `a repeated message that a launch's runner is ready dismisses no runner and leaves the task running`() throws {
        host.submit(.clean)
        let plan = try #require(host.lastPlan)
        host.send(.runnerReady(plan.number, plan.process))
        #expect(host.dismissed.isEmpty && host.running == [.clean])
    }

    @Test(.proves("C2"))
    func `an expiration that a runner reports counts only for tasks of its launch and only with reason budget`() throws
    {
        let plans = try launchBoth()
        host.send(.runnerExpired(plans.app.number, plans.mail.tasks.map(\.id), .budget))
        host.send(.runnerExpired(plans.app.number, plans.app.tasks.map(\.id), .hostShutdown))
        host.crash(plans.app)
        host.crash(plans.mail)
        #expect(host.pending == [.clean, .sweep])
    }

    @Test(.proves("C2"))
    func `at most twenty violations of a launch are journaled, and the twentieth journal entry announces the limit`()
        throws
    {
        host.submit(.clean)
        host.enter()
        let launch = try #require(host.lastPlan).number
        for _ in 1...1_000 { host.send(.violated(launch, rule: .processOfHost, message: "changed the umask")) }
        let violations = host.entries(.violation)
        #expect(violations.count == 20)
        #expect(violations[0].message == "BGT-ABI-16: changed the umask")
        #expect(violations[19].message.contains("further violations of this launch are not journaled"))
    }

    @Test(.proves(81))
    func `an assertion with another launch's number or with an old or repeated count is refused as a violation`() throws
    {
        let plans = try launchBoth()
        host.send(
            .assertionBegan(plans.app.number, AssertionID(launch: plans.mail.number, count: 1), name: "forged")
        )
        host.beginAssertion(2, in: plans.app)
        host.beginAssertion(1, in: plans.app)
        host.endAssertion(2, in: plans.app)
        host.beginAssertion(2, in: plans.app)
        #expect(host.openAssertions.isEmpty)
        #expect(host.entries(.violation).count == 3)
        host.complete(.clean, in: plans.app)
        #expect(host.finished == [plans.app.number])
    }

    @Test(.proves(81))
    func `ending an assertion that is not open in the launch is a violation and ends no other assertion`() throws {
        let plans = try launchBoth()
        host.beginAssertion(in: plans.app)
        host.send(.assertionEnded(plans.mail.number, AssertionID(launch: plans.app.number, count: 1)))
        host.endAssertion(7, in: plans.app)
        #expect(host.openAssertions == ["flush"])
        let violations = host.entries(.violation)
        #expect(violations.map(\.plugin) == [.mail, .app])
        #expect(violations.allSatisfy { $0.blame == .plugin && $0.message.contains("BGT-ABI-08") })
    }

    @Test(.proves(81))
    func `an assertion above the limit of open assertions or with too long a name is a violation and is not opened`()
        throws
    {
        host.submit(.clean)
        host.enter()
        let limit = UInt32(AssertionID.openLimit)
        host.beginAssertion(1, named: String(repeating: "x", count: AssertionID.nameLimit + 1))
        for count in 2...(limit + 2) { host.beginAssertion(count) }
        #expect(host.openAssertions.count == AssertionID.openLimit)
        #expect(host.entries(.violation).count == 2)
        host.endAssertion(2)
        host.beginAssertion(limit + 3)
        #expect(host.openAssertions.count == AssertionID.openLimit && host.entries(.violation).count == 2)
    }

    @Test(.proves(81)) func `assertions begun before the plan or ended after the kill are ignored`() throws {
        host.runners = .held
        host.submit(.clean)
        let launch = host.heldRunners[0]
        host.send(.assertionBegan(launch, AssertionID(launch: launch, count: 1), name: "early"))
        host.bringRunners()
        host.processesObey = false
        host.enter()
        host.beginAssertion()
        host.complete(.clean)
        host.advance(by: .minutes(11))
        host.endAssertion()
        #expect(host.openAssertions == ["flush"])
        host.end(nil, .signaled(9))
        #expect(host.launchOutcomes == [.overran])
    }

    @Test(.proves("C2")) func `the limit of journaled violations starts anew with each launch`() throws {
        for identifier: TaskIdentifier in [.clean, .vacuum] {
            host.submit(identifier)
            host.enter()
            for _ in 1...30 {
                host.send(.violated(try #require(host.lastPlan).number, rule: .processOfHost, message: "again"))
            }
            host.complete(identifier)
            host.advance(by: .seconds(1))
        }
        #expect(host.entries(.violation).count == 40)
    }

    @Test(.proves("C2")) func `a request of an extension launches its main plugin and not the extension`() {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard())
        host.submit(.clean, by: .plugin(.keyboard))
        #expect(host.lastPlan?.plugin.role == .main, "an extension is never launched for a request")
    }
}
