// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A plugin has separate lanes for events and background work, and the host has a capacity for each")
struct LaneTests {
    let plugins = (1...6).map { number in
        PluginEntry.main(
            PluginIdentifier(stringLiteral: "com.example.p\(number)"),
            permitted: [.exact(Self.task(number))]
        )
    }

    private static func task(_ number: Int) -> TaskIdentifier {
        TaskIdentifier(stringLiteral: "com.example.p\(number).run")
    }

    private func host(_ configure: (inout SchedulingConfiguration) -> Void = { _ in }) -> SchedulerDriver {
        let host = SchedulerDriver(configure: configure)
        host.installed = plugins
        host.sendCatalogue()
        host.finishStarting()
        host.forgetThePast()
        return host
    }

    @Test(.proves("C7"))
    func `a plugin has at most one background launch, and its next request waits for the busy lane`() throws {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.submit(.vacuum)
        #expect(host.batches == [[.clean]])
        #expect(host.reasons(.vacuum) == [.laneBusy(.background, try #require(host.lastPlan).number)])
    }

    @Test(.proves("C7"))
    func `an event launch and a background launch of one plugin run side by side, whichever starts first`() {
        let host = SchedulerDriver(.app())
        host.submit(.clean)
        host.install(.app(version: "2.0"))
        #expect(host.plans.map(\.lane) == [.background, .event])
        host.complete(.clean, in: host.plans[0])
        host.enter(host.plans[0])
        #expect(host.processes.count == 1)
        host.advance(by: .seconds(1))
        host.submit(.vacuum)
        #expect(host.plans.map(\.lane) == [.background, .event, .background])
    }

    @Test(.proves("C7")) func `a plugin has at most one event launch`() {
        let host = SchedulerDriver(.app())
        host.install(.app(version: "2.0"))
        host.install(.app(version: "3.0"))
        #expect(host.plans.count == 1 && host.pendingEvents == [.started])
        host.runToTheEnd()
        #expect(host.plans.count == 2)
    }

    @Test(.proves("C7")) func `a host without a configured capacity has four background launches at a time`() {
        let host = host()
        for number in 1...5 { host.submit(Self.task(number), by: .user) }
        #expect(host.batches.count == 4)
        #expect(host.reasons(Self.task(5)) == [.launchLimit(.background, limit: 4)])
    }

    @Test(.proves("C7"))
    func `requests above the host's capacity of background launches wait with reason launch-limit`() {
        let host = host { $0.backgroundLaunches = 2 }
        for number in 1...3 { host.submit(Self.task(number), by: .user) }
        #expect(host.batches == [[Self.task(1)], [Self.task(2)]])
        #expect(host.reasons(Self.task(3)) == [.launchLimit(.background, limit: 2)])
        host.runToTheEnd(host.plans[0])
        #expect(host.batches.last == [Self.task(3)])
    }

    @Test(.proves("C7"))
    func `the last completion of a launch frees its capacity while its process still exists`() {
        let host = host { $0.backgroundLaunches = 1 }
        host.processesObey = false
        for number in 1...2 { host.submit(Self.task(number), by: .user) }
        host.runToTheEnd(host.plans[0])
        #expect(host.batches == [[Self.task(1)], [Self.task(2)]])
        #expect(host.processes.count == 2 && host.killed.isEmpty)
    }

    @Test(.proves("C7"))
    func `the lane of a plugin stays busy until the process of its stopping launch has ended`() throws {
        let host = SchedulerDriver(.app())
        host.processesObey = false
        host.submit(.clean)
        host.runToTheEnd()
        let launch = try #require(host.lastPlan).number
        host.submit(.vacuum)
        #expect(host.batches == [[.clean]])
        #expect(host.reasons(.vacuum) == [.laneBusy(.background, launch, isStopping: true)])
        host.exit()
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean], [.vacuum]])
    }

    @Test(.proves("C7")) func `a launch with an open assertion keeps its capacity after its last completion`() {
        let host = host { $0.backgroundLaunches = 1 }
        host.processesObey = false
        for number in 1...2 { host.submit(Self.task(number), by: .user) }
        let first = host.plans[0]
        host.enter(first)
        host.beginAssertion(1, in: first)
        host.complete(Self.task(1), in: first)
        #expect(host.batches == [[Self.task(1)]])
        host.endAssertion(1, in: first)
        #expect(host.batches == [[Self.task(1)], [Self.task(2)]])
    }

    @Test(.proves("C7")) func `stopping launches use capacity only as far as they exceed the launch limit`() {
        let host = host { $0.backgroundLaunches = 2 }
        host.processesObey = false
        for number in 1...6 { host.submit(Self.task(number), by: .user) }
        for number in 0..<4 { host.runToTheEnd(host.plans[number]) }
        // Two of the four stopping launches are free, and two use the capacity.
        #expect(host.processes.count == 4 && host.batches.count == 4)
        #expect(host.reasons(Self.task(5)) == [.launchLimit(.background, limit: 2, stopping: 4)])
        host.exit(host.plans[1])
        #expect(host.batches.last == [Self.task(5)] && host.processes.count == 4)
        host.exit(host.plans[0])
        #expect(host.batches.last == [Self.task(6)] && host.processes.count == 4)
    }

    @Test(.proves("C7")) func `a launch that crashes keeps its capacity until its end is recorded`() {
        let host = host { $0.backgroundLaunches = 1 }
        for number in 1...2 { host.submit(Self.task(number), by: .user) }
        host.enter()
        host.commits = .held
        host.crash()
        #expect(host.batches.count == 1)
        host.writeHeldCommits()
        #expect(host.batches.last == [Self.task(2)])
    }

    @Test(.proves("C7")) func `free capacity goes to the plugin that waited longest, before the one that just ran`() {
        let host = host {
            $0.backgroundLaunches = 1
            $0.spacing = .zero
        }
        for number in 1...4 { host.submit(Self.task(number), by: .user) }
        host.enter()
        host.submit(Self.task(1), by: .user)
        host.complete(Self.task(1))
        for _ in 1...4 { host.runToTheEnd() }
        #expect(host.batches.map { $0[0] } == [1, 2, 3, 4, 1].map(Self.task))
    }

    @Test(.proves("C7")) func `event launches have their own capacity beside background launches`() {
        let host = host {
            $0.backgroundLaunches = 1
            $0.eventLaunches = 1
        }
        host.submit(Self.task(1), by: .user)
        host.install(
            .main("com.example.p1", version: "2.0", permitted: plugins[0].permitted),
            .main("com.example.p2", version: "2.0", permitted: plugins[1].permitted)
        )
        #expect(host.plans.map(\.lane) == [.background, .event])
        #expect(host.pendingEvents == [.started])
        host.runToTheEnd()
        #expect(host.plans.map(\.plugin.identifier).last == "com.example.p2")
    }

    @Test(.proves("C7"))
    func `the capacity of a launch that lost its network before its runner was ready goes to the next plugin`() {
        let host = host { $0.backgroundLaunches = 1 }
        host.runners = .held
        host.submit(Self.task(1), needsNetwork: true, by: .user)
        host.submit(Self.task(2), by: .user)
        host.change(network: false)
        host.bringRunners()
        #expect(host.batches == [[Self.task(2)]])
        #expect(host.dismissed.count == 1)
    }

    @Test(.proves("C7"))
    func `a plugin that loses its conditions while it waits for capacity gives its turn to the next plugin`() {
        let host = host { $0.backgroundLaunches = 1 }
        host.submit(Self.task(1), by: .user)
        host.submit(Self.task(2), needsNetwork: true, by: .user)
        host.submit(Self.task(3), by: .user)
        host.change(network: false)
        host.runToTheEnd()
        #expect(host.batches == [[Self.task(1)], [Self.task(3)]])
        host.change(network: true)
        #expect(host.reasons(Self.task(2)) == [.launchLimit(.background, limit: 1)])
        host.runToTheEnd()
        #expect(host.batches.last == [Self.task(2)])
    }

    @Test(.proves("C7"))
    func `a request waits with reason runner-unavailable until its runner is requested again after a delay`() throws {
        let host = SchedulerDriver(.app())
        host.runners = .unavailable
        host.submit(.clean)
        #expect(host.reasons(.clean).map(\.code) == ["runner-unavailable"])
        #expect(host.pending == [.clean])
        host.runners = .ready
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C7")) func `a runner that ends before its launch is committed is replaced after a delay`() {
        let host = SchedulerDriver(.app())
        host.runners = .held
        host.submit(.clean)
        host.send(.runnerEnded(host.heldRunners.removeFirst(), .signaled(9), nil))
        #expect(host.reasons(.clean).map(\.code) == ["runner-unavailable"])
        host.runners = .ready
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean]])
    }
}
