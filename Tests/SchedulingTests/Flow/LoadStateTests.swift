// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("Pending work is loaded for four plugins at a time, and at once for a plugin for which an event waits")
struct LoadStateTests {
    private static func plugin(_ number: Int) -> PluginIdentifier {
        PluginIdentifier(stringLiteral: "com.example.p\(number)")
    }

    private func state(_ count: Int) -> LoadState {
        LoadState(LedgerSnapshot(pendingPlugins: (1...count).map(Self.plugin)))
    }

    @Test func `four plugins are loaded at the same time, and a fifth when one of them is loaded`() {
        var state = state(6)
        let first = state.next()
        let none = state.next()
        _ = state.finish(Self.plugin(2))
        let second = state.next()
        #expect(first == (1...4).map(Self.plugin) && none.isEmpty && second == [Self.plugin(5)] && state.isPartial)
        #expect(!state.isMissing(Self.plugin(2)) && state.isMissing(Self.plugin(5)))
    }

    @Test func `a plugin for which an event waits is loaded at once and only once, even while four others load`() {
        var state = state(6)
        _ = state.next()
        state.park(Self.parked(.timerFired), until: Self.plugin(6))
        state.park(Self.parked(.resumed), until: Self.plugin(6))
        state.park(Self.parked(.timerFired), until: Self.plugin(1))
        let wanted = state.next()
        let events = [Self.plugin(6), Self.plugin(1)].map { state.finish($0).events.count }
        let others = state.next()
        #expect(wanted == [Self.plugin(6)] && events == [2, 1] && others == [Self.plugin(5)])
    }

    @Test func `a loaded plugin is not loaded again for an event that waited for the load`() {
        var state = state(1)
        state.park(Self.parked(.timerFired), until: Self.plugin(1))
        _ = state.finish(Self.plugin(1))
        let next = state.next()
        #expect(next.isEmpty && !state.isPartial)
    }

    @Test func `a failed load of a plugin is repeated at the next retry, unless the plugin was loaded meanwhile`() {
        var state = state(2)
        let first = state.next()
        state.fail(Self.plugin(1))
        state.fail(Self.plugin(2))
        let early = state.next()
        _ = state.finish(Self.plugin(2))
        state.retry()
        let again = state.next()
        state.retry()
        let none = state.next()
        #expect(first.count == 2 && early.isEmpty && again == [Self.plugin(1)] && none.isEmpty)
    }

    @Test func `events that wait for one plugin's load are taken before those that wait for all loads, and each once`()
    {
        var state = state(2)
        state.parkForAll(Self.parked(.stopRequested))
        state.park(Self.parked(.timerFired), until: Self.plugin(2))
        state.park(Self.parked(.resumed), until: Self.plugin(1))
        let parked = state.takeAllParked()
        let none = state.takeAllParked()
        #expect(parked.map { "\($0.event)" } == ["resumed", "timerFired", "stopRequested"] && none.isEmpty)
    }

    private static func parked(_ event: SchedulerEvent) -> ParkedEvent {
        ParkedEvent(event: event, user: nil, isForeground: nil)
    }
}
