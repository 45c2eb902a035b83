// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A main plugin is told that it started, so that it can submit its first requests")
struct StartedEventTests {
    let host = SchedulerDriver()

    @Test(.proves("C11")) func `a plugin that is installed gets the event in its event lane`() throws {
        host.install(.app())
        let plan = try #require(host.lastPlan)
        #expect(plan.lane == .event && plan.cause == .event)
        #expect(plan.tasks.map(\.work.label) == ["started"])
        #expect(host.entries(.pluginInstalled).map(\.plugin) == [.app])
    }

    @Test(.proves("C11")) func `an extension gets none`() {
        host.install(.app(extensions: [.keyboard]), .keyboard())
        #expect(host.plans.map(\.plugin.identifier) == [.app])
        #expect(Set(host.entries(.pluginInstalled).map(\.plugin)) == [.app, .keyboard])
    }

    @Test(.proves("C11")) func `a disabled plugin gets none`() {
        let host = SchedulerDriver { $0.plugins[.app, default: PluginPolicy()].isEnabled = false }
        host.install(.app())
        #expect(host.plans.isEmpty && host.pendingEvents.isEmpty)
    }

    @Test(.proves("C11")) func `without receive the event succeeds when entry returns in order`() {
        host.install(.app())
        host.enter(receives: false)
        #expect(host.journal.contains { $0.event == .task(.succeeded) && $0.label == "started" })
        #expect(host.launchOutcomes == [.completed])
    }

    @Test(.proves("C11")) func `with receive the event is a task like any other`() {
        host.install(.app())
        host.enter()
        #expect(host.finished.isEmpty)
        host.completeEvent(as: .failure)
        #expect(host.journal.contains { $0.event == .task(.failed) && $0.label == "started" })
        #expect(host.pendingEvents.isEmpty)
    }

    @Test(.proves("C11")) func `an entry that fails keeps the event, delayed`() {
        host.install(.app())
        host.enter(status: -1, receives: false)
        #expect(host.pendingEvents == [.started])
        host.advance(by: .seconds(10))
        #expect(host.plans.count == 2 && host.lastPlan?.cause == .relaunch)
    }

    @Test(.proves("C11")) func `the plugin submits its first requests from there`() {
        host.install(.app())
        host.submit(.feed, as: .refresh, after: .minutes(5))
        host.enter(receives: false)
        #expect(host.pending == [.feed])
    }

    @Test(.proves("C11"), arguments: [PluginEntry.app(version: "2.0"), .app(library: "2.0")])
    func `a changed manifest or library is a start`(_ changed: PluginEntry) {
        host.install(.app())
        host.finishStarting()
        host.forgetThePast()
        host.install(changed)
        #expect(host.plans.map(\.lane) == [.event])
        #expect(host.entries(.pluginChanged).map(\.plugin) == [.app])
    }

    @Test(.proves("C11")) func `what did not change is not told again`() {
        host.install(.app())
        host.finishStarting()
        host.forgetThePast()
        host.install(.app())
        host.install(.mail())
        #expect(host.plans.map(\.plugin.identifier) == [.mail])
    }

    @Test(.proves("C11")) func `at host start a plugin with nothing pending is told`() {
        host.install(.app())
        host.finishStarting()
        host.forgetThePast()
        host.restart()
        #expect(host.plans.map(\.lane) == [.event])
        #expect(host.journal.isEmpty)
    }

    @Test(.proves("C11")) func `at host start a plugin with something pending is not told`() {
        host.install(.app())
        host.finishStarting()
        host.submit(.clean, after: .hours(1))
        host.forgetThePast()
        host.restart()
        #expect(host.plans.isEmpty)
    }

    @Test(.proves("C11")) func `at host start a plugin whose interrupted task returns is not told`() {
        host.install(.app())
        host.finishStarting()
        host.submit(.clean)
        host.enter()
        host.forgetThePast()
        host.restart()
        #expect(host.batches == [[.clean]])
        #expect(host.plans.count == 1)
    }

    @Test(.proves("C11")) func `at host start a plugin whose lost launch had nothing left to do is told`() {
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

    @Test(.proves("C11")) func `a plugin that changed while the host was down is told, whatever it has pending`() {
        host.install(.app())
        host.finishStarting()
        host.submit(.clean, after: .hours(1))
        host.forgetThePast()
        host.restart(with: [.app(version: "2.0")])
        #expect(host.plans.map(\.lane) == [.event])
        #expect(host.entries(.pluginChanged).count == 1)
    }

    @Test(.proves("C11")) func `an event that waits reaches the new version as well: there is no second one`() {
        host.runners = .held
        host.install(.app())
        host.install(.app(version: "2.0"))
        #expect(host.pendingEvents == [.started])
        host.bringRunners()
        #expect(host.lastPlan?.plugin.manifestDigest == PluginEntry.app(version: "2.0").manifestDigest)
        host.runToTheEnd()
        #expect(host.plans.count == 1)
    }

    @Test(.proves("C11")) func `a change that comes while the last one is recorded is told too`() {
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

    @Test(.proves("C11")) func `events are durable`() {
        host.runners = .held
        host.install(.app())
        host.runners = .ready
        host.restart()
        #expect(host.plans.map(\.lane) == [.event])
    }

    @Test(.proves("C11")) func `an interrupted event returns in its place, uncharged by the host's end`() throws {
        host.install(.app())
        host.enter()
        host.restart()
        let event = try #require(host.lastPlan?.tasks.first?.work)
        #expect(event.label == "started" && event.retry == Retry(wasInterrupted: true, hostLosses: 1))
    }

    @Test(.proves("C11")) func `a delayed event holds back what came after it`() {
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
