// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A trigger launches an extension, and each trigger is delivered once")
struct TriggerTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail())

    private func numbers(_ plan: LaunchPlan?) -> [SubmissionNumber] { plan?.tasks.map(\.work.number) ?? [] }

    @Test(.proves("C7")) func `a trigger launches the extension in the event lane with the event budget`() throws {
        let answer = host.trigger()
        let plan = try #require(host.lastPlan)
        #expect(plan.plugin == .keyboard() && plan.lane == .event && plan.cause == .event)
        #expect(plan.tasks.map(\.work.label) == ["trigger"])
        #expect(plan.budget.total == host.configuration.budgets.event)
        #expect(answer == .triggered(try #require(numbers(plan).first)))
    }

    @Test(.proves("C7")) func `the budget of a trigger is the event budget configured for the extension`() {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard()) { configuration in
            var budgets = Budgets()
            budgets.event = .seconds(7)
            configuration.plugins[.keyboard, default: PluginPolicy()].budgets = budgets
        }
        host.trigger()
        #expect(host.lastPlan?.budget.total == .seconds(7))
    }

    @Test(.proves("C7")) func `an extension and its main plugin have separate event lanes`() {
        host.submit(.clean)
        host.install(.app(version: "2.0", extensions: [.keyboard]))
        host.trigger()
        #expect(host.scheduler.runningLaunches.map(\.plan.lane) == [.background, .event, .event])
    }

    @Test(.proves("C15")) func `a runner for an extension gets the container of the main plugin`() {
        host.trigger()
        #expect(host.containersNeeded == [.app])
    }

    @Test(.proves("C11")) func `a trigger is answered after its commit, with its payload stored`() throws {
        host.commits = .held
        #expect(host.trigger(payload: [1, 2, 3]) == nil)
        #expect(host.containersNeeded.isEmpty)
        host.writeNextCommit()
        let number = try #require(host.lastAnswer?.submission)
        #expect(host.ledger.payload(of: number) == [1, 2, 3])
        #expect(host.containersNeeded == [.app])
    }

    @Test(.proves("C14")) func `a trigger whose commit fails is refused and not delivered`() throws {
        host.commits = .failing
        let refusal = try #require(host.trigger()?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .notRecorded)
        #expect(refusal.message.contains("trigger"))
        host.commits = .written
        #expect(host.pendingEvents.isEmpty && host.plans.isEmpty)
    }

    @Test(.proves("C11"))
    func `pending triggers are delivered in the order of their arrival, and none replaces another`() {
        host.runners = .held
        let first = host.trigger()?.submission
        let second = host.trigger()?.submission
        #expect(host.pendingEvents == [.trigger, .trigger])
        host.bringRunners()
        #expect(numbers(host.lastPlan) == [first, second].compactMap { $0 })
    }

    @Test(.proves("C11"))
    func `a trigger that arrives during a launch of its extension waits for the next launch`() throws {
        host.trigger()
        let second = try #require(host.trigger()?.submission)
        #expect(host.plans.count == 1)
        host.runToTheEnd()
        #expect(host.plans.count == 2 && numbers(host.lastPlan) == [second])
    }

    @Test(.proves("C11")) func `at most a hundred events wait for an extension, uncommitted ones included`() throws {
        host.runners = .held
        for _ in 1...99 { host.trigger() }
        host.commits = .held
        host.trigger()
        let refusal = try #require(host.trigger()?.refusal)
        #expect(refusal.code == .tooManyPendingTaskRequests && refusal.subReason == .eventLimit)
        #expect(refusal.message.contains("100") && refusal.message.contains("bgtask why com.example.app.keyboard"))
        host.writeHeldCommits()
        #expect(host.pendingEvents.count == 100)
        #expect(host.trigger()?.refusal?.subReason == .eventLimit)
        host.bringRunners()
        #expect(host.trigger()?.submission != nil, "what runs does not wait")
    }

    @Test(.proves("C11")) func `a trigger whose commit failed does not count against the event limit`() {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard()) { $0.eventLimit = 1 }
        host.runners = .held
        host.commits = .held
        host.trigger()
        host.failNextCommit()
        host.trigger()
        host.writeHeldCommits()
        #expect(host.pendingEvents == [.trigger])
    }

    @Test(.proves("C11"))
    func `a requeued trigger is exempt from the event limit and precedes later triggers`() throws {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard()) { $0.eventLimit = 1 }
        let first = try #require(host.trigger()?.submission)
        host.enter()
        let second = try #require(host.trigger()?.submission)
        host.crash()
        #expect(host.scheduler.pendingEvents.map(\.number) == [first, second])
        #expect(host.trigger()?.refusal?.subReason == .eventLimit)
        host.advance(by: .seconds(10))
        #expect(numbers(host.lastPlan) == [first], "one that crashed runs alone")
        host.runToTheEnd()
        #expect(numbers(host.lastPlan) == [second])
    }

    @Test(.proves("C11"))
    func `triggers survive a restart of the host, and triggers that were running are not charged`() throws {
        let first = try #require(host.trigger()?.submission)
        host.enter()
        let second = try #require(host.trigger()?.submission)
        host.restart()
        let plan = try #require(host.plans.last { $0.plugin.identifier == .keyboard })
        #expect(numbers(plan) == [first, second])
        #expect(plan.tasks.map(\.work.retry.attempts) == [0, 0])
    }

    @Test(.proves("C3"))
    func `a trigger that crashes its extension each time is abandoned, and the next trigger is delivered`() throws {
        host.runners = .held
        let bad = try #require(host.trigger()?.submission)
        let good = try #require(host.trigger()?.submission)
        host.bringRunners()
        var launches = 0
        while let plan = host.lastPlan, host.processes[plan.number] != nil, launches < 10 {
            launches += 1
            host.enter()
            if numbers(plan).contains(bad) { host.crash() } else { host.completeEvents() }
            host.advance(by: .minutes(1))
        }
        let abandoned = host.entries(.task(.abandoned))
        #expect(abandoned.map(\.submission) == [bad])
        #expect(abandoned.allSatisfy { $0.message.hasSuffix("; fix and reinstall the plugin, then trigger it again") })
        #expect(host.entries(.task(.succeeded)).map(\.submission) == [good])
    }

    @Test(.proves("C2"))
    func `a trigger to an extension without a receive function ends as not registered, blamed on the plugin`() throws {
        let number = try #require(host.trigger()?.submission)
        host.enter(receives: false)
        let entry = try #require(host.entries(.task(.notRegistered)).first)
        #expect(entry.submission == number && entry.blame == .plugin && entry.message.contains("plugin->receive"))
        #expect(host.pendingEvents.isEmpty)
    }

    @Test(.proves("C14"))
    func `a trigger to a main plugin is refused, with the advice to submit a request`() throws {
        let refusal = try #require(host.trigger(.app)?.refusal)
        #expect(refusal.code == .notPermitted && refusal.subReason == .notAnExtension)
        #expect(refusal.message.contains("submit a request"))
    }

    @Test(.proves("C14")) func `a trigger to a plugin that is not installed is refused`() {
        #expect(host.trigger("com.example.stranger")?.refusal?.subReason == .pluginMissing)
    }

    @Test(.proves("C14"), arguments: [PluginIdentifier.app, .keyboard])
    func `a trigger is refused while the extension or its main plugin is disabled`(_ plugin: PluginIdentifier) throws {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard()) {
            $0.plugins[plugin, default: PluginPolicy()].isEnabled = false
        }
        let refusal = try #require(host.trigger()?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .pluginDisabled)
        #expect(refusal.message.contains("plugins.\(plugin).enabled"))
    }

    @Test(.proves("C14")) func `a stopping host refuses a trigger`() {
        host.stop()
        #expect(host.trigger()?.refusal?.subReason == .hostStopping)
    }
}
