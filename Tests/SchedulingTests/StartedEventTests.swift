// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A main plugin gets a started event, in which it can submit its first requests")
struct StartedEventTests {
    let host = SchedulerDriver()

    @Test(.proves("C11")) func `a newly installed plugin gets a started event in its event lane`() throws {
        host.install(.app())
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .event && plan.cause == .event)
        #expect(plan.tasks.map(\.work.label) == ["started"])
        #expect(host.entries(.pluginInstalled).map(\.plugin) == [.app])
    }

    @Test(.proves("C11")) func `a newly installed extension gets no started event`() {
        host.install(.app(extensions: [.keyboard]), .keyboard())
        #expect(host.plans.map(\.plugin.identifier) == [.app])
        #expect(Set(host.entries(.pluginInstalled).map(\.plugin)) == [.app, .keyboard])
    }

    @Test(.proves("C11")) func `a plugin that the operator disabled gets no started event`() {
        let host = SchedulerDriver { $0.plugins[.app, default: PluginPolicy()].isEnabled = false }
        host.install(.app())
        #expect(host.plans.isEmpty && host.pendingEvents.isEmpty)
    }

    @Test(.proves("C11")) func `a started event of a plugin without a receive function succeeds when entry returns`() {
        host.install(.app())
        host.enter(receives: false)
        #expect(host.journal.contains { $0.event == .task(.succeeded) && $0.label == "started" })
        #expect(host.launchOutcomes == [.completed])
    }

    @Test(.proves("C11"))
    func `a started event of a plugin with a receive function is open until the plugin completes it`() {
        host.install(.app())
        host.enter()
        #expect(host.finished.isEmpty)
        host.completeEvent(as: .failure)
        #expect(host.journal.contains { $0.event == .task(.failed) && $0.label == "started" })
        #expect(host.pendingEvents.isEmpty)
    }

    @Test(.proves("C11")) func `a started event whose entry failed is delivered again after the retry delay`() {
        host.install(.app())
        host.enter(status: -1, receives: false)
        #expect(host.pendingEvents == [.started])
        host.advance(by: .seconds(10))
        #expect(host.plans.count == 2 && host.lastPlan?.cause == .relaunch)
    }

    @Test(.proves("C3"))
    func `the journal entry of an abandoned started event names reinstallation as the remedy`() throws {
        host.install(.app())
        for delay in [10, 20, 0] {
            host.enter(status: -1, receives: false)
            host.advance(by: .seconds(delay))
        }
        let entry = try #require(host.entries(.task(.abandoned)).first)
        let cause = "the entry function returned -1 (plugin status) instead of BGT_OK"
        #expect(entry.message.hasSuffix("\(cause); fix and reinstall the plugin"))
        #expect(host.pendingEvents.isEmpty)
    }

    @Test(.proves("C3"))
    func `the journal entries of a failed entry function name its status, the refused call and the remedy`() throws {
        host.install(.app())
        let cause = "register_handler: \"com.x.a\" was registered, but the manifest does not permit it; add it"
        host.enter(status: 3, receives: false, cause: cause)
        let message = "the entry function failed with 3 (BGT_NOT_PERMITTED): \(cause)"
        #expect(try #require(host.entries(.task(.entryFailed)).first).message.contains(message))
        #expect(try #require(host.entries(.launch(.entryFailed)).first).message.contains(message))
    }

    @Test(.proves("C11")) func `a plugin can submit a request during the launch of its started event`() {
        host.install(.app())
        host.submit(.feed, as: .refresh, after: .minutes(5))
        host.enter(receives: false)
        #expect(host.pending == [.feed])
    }

    @Test(
        .proves("C11"),
        arguments: [
            (PluginEntry.app(version: "2.0"), "changed: manifest; "), (.app(library: "2.0"), "changed: library; "),
        ]
    )
    func `a plugin gets a started event when its manifest or its library changes, and the journal names the part`(
        changed: PluginEntry,
        part: String
    ) {
        host.install(.app())
        host.finishStarting()
        host.forgetThePast()
        host.install(changed)
        #expect(host.plans.map(\.lane) == [.event])
        #expect(host.entries(.pluginChanged).map(\.plugin) == [.app])
        #expect(host.entries(.pluginChanged).allSatisfy { $0.message.hasPrefix(part) })
    }

    @Test(.proves("C11")) func `an unchanged plugin gets no second started event when the catalogue is read again`() {
        host.install(.app())
        host.finishStarting()
        host.forgetThePast()
        host.install(.app())
        host.install(.mail())
        #expect(host.plans.map(\.plugin.identifier) == [.mail])
    }

    @Test(.proves("C11")) func `a plugin without pending requests gets a started event at host start`() {
        host.install(.app())
        host.finishStarting()
        host.forgetThePast()
        host.restart()
        #expect(host.plans.map(\.lane) == [.event])
        #expect(host.journal.isEmpty)
    }

    @Test(.proves("C11")) func `a plugin with a pending request gets no started event at host start`() {
        host.install(.app())
        host.finishStarting()
        host.submit(.clean, after: .hours(1))
        host.forgetThePast()
        host.restart()
        #expect(host.plans.isEmpty)
    }

    @Test(.proves("C11")) func `a plugin whose interrupted task is requeued gets no started event at host start`() {
        host.install(.app())
        host.finishStarting()
        host.submit(.clean)
        host.enter()
        host.forgetThePast()
        host.restart()
        #expect(host.batches == [[.clean]])
        #expect(host.plans.count == 1)
    }

    @Test(.proves("C11"))
    func `after a host restart, a plugin whose lost launch had no open task gets a started event`() {
        host.install(.app())
        host.finishStarting()
        host.submit(.clean)
        host.enter()
        host.processesObey = false
        host.complete(.clean)
        host.forgetThePast()
        host.restart()
        #expect(host.launchOutcomes == [.lost])
        #expect(host.plans.map(\.lane) == [.event])
    }

    @Test(.proves("C11"))
    func `a plugin that changed while the host was down gets a started event despite pending requests`() {
        host.install(.app())
        host.finishStarting()
        host.submit(.clean, after: .hours(1))
        host.forgetThePast()
        host.restart(with: [.app(version: "2.0")])
        #expect(host.plans.map(\.lane) == [.event])
        #expect(host.entries(.pluginChanged).count == 1)
    }

    @Test(.proves("C11"))
    func `a pending started event is delivered to the new version of a plugin, without a second event`() {
        host.runners = .held
        host.install(.app())
        host.install(.app(version: "2.0"))
        #expect(host.pendingEvents == [.started])
        host.bringRunners()
        #expect(host.lastPlan?.plugin.manifestDigest == PluginEntry.app(version: "2.0").manifestDigest)
        host.runToTheEnd()
        #expect(host.plans.count == 1)
    }

    @Test(.proves("C11"))
    func `two changes of a plugin, the second during the commit of the first, are both journaled`() {
        host.install(.app())
        host.finishStarting()
        host.forgetThePast()
        host.commits = .held
        host.install(.app(version: "2.0"))
        host.install(.app(version: "3.0"))
        host.writeHeldCommits()
        #expect(host.entries(.pluginChanged).count == 2)
        #expect(host.ledger.known[.app] == KnownPlugin(.app(version: "3.0")))
    }

    @Test(.proves("C11")) func `a pending started event survives a restart of the host`() {
        host.runners = .held
        host.install(.app())
        let pending = host.scheduler.pendingEvents.map(\.number)
        host.runners = .ready
        host.restart()
        #expect(host.plans.map(\.lane) == [.event])
        #expect(pending.count == 1 && host.lastPlan?.tasks.map(\.work.number) == pending)
    }

    @Test(.proves("C11"))
    func `a started event interrupted by a kill of the host is delivered again without a charge`() throws {
        host.install(.app())
        host.enter()
        host.restart()
        let event = try #require(host.lastPlan?.tasks.first?.work)
        #expect(event.label == "started" && event.retry == Retry(wasInterrupted: true, hostLosses: 1))
    }

    @Test(.proves("C11")) func `a delayed started event delays the later events of its plugin`() {
        host.install(.app())
        host.enter()
        host.install(.app(version: "2.0"))
        host.crash()
        #expect(host.pendingEvents == [.started, .started])
        host.advance(by: .seconds(9))
        #expect(host.plans.count == 1)
        host.advance(by: .seconds(1))
        #expect(host.plans.count == 2 && host.lastPlan?.tasks.count == 1)
        host.runToTheEnd()
        #expect(host.plans.count == 3)
    }
}
