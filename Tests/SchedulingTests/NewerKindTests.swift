// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A kind or event that is newer than a plugin's header is not delivered to the plugin", .proves("BGT-ABI-02"))
struct NewerKindTests {
    /// A host of a simulated later release, in which some kinds and events exist since minor version 2.
    private func host(
        _ plugins: PluginEntry...,
        kinds: [TaskKind] = [],
        events: [EventType] = []
    ) -> SchedulerDriver {
        let host = SchedulerDriver { configuration in
            configuration.abiMinors = ABIMinors(
                kinds: Dictionary(uniqueKeysWithValues: kinds.map { ($0, 2) }),
                events: Dictionary(uniqueKeysWithValues: events.map { ($0, 2) })
            )
        }
        for plugin in plugins {
            host.install(plugin)
            if host.lastPlan != nil { host.runToTheEnd() }
            host.forgetThePast()
        }
        return host
    }

    @Test(arguments: [nil, 0, 1, 2, 3])
    func `a kind or event of minor version 2 is delivered to headers of version 2 or newer and to bound functions`(
        header: Int?
    ) {
        #expect(ABIMinors.delivers(2, to: header) == (header.map { $0 >= 2 } ?? true))
        #expect(ABIMinors.delivers(0, to: header))
    }

    @Test func `every kind and event of this release exists since minor version 0`() {
        let minors = ABIMinors()
        #expect(TaskKind.allCases.allSatisfy { minors.since($0) == 0 })
        #expect(EventType.allCases.allSatisfy { minors.since($0) == 0 })
    }

    // MARK: Submissions

    @Test func `a submission of a kind newer than the plugin's header is refused, with both versions and the remedy`()
        throws
    {
        let host = host(.app(headerMinor: 1), kinds: [.refresh])
        let refusal = try #require(host.submit(.feed, as: .refresh)?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .notOffered)
        #expect(
            refusal.message == """
                plugin com.example.app is built with a bgtask.h of minor version 1, and refresh requests exist since \
                minor version 2; install a build with a bgtask.h of minor version 2 or newer
                """
        )
        #expect(host.pending.isEmpty)
        #expect(host.submit(.clean)?.submission != nil)
    }

    @Test(arguments: [2, 3])
    func `a submission of a kind as new as the plugin's header, or older, is accepted and launched`(header: Int) throws
    {
        let host = host(.app(headerMinor: header), kinds: [.refresh])
        #expect(host.submit(.feed, as: .refresh)?.submission != nil)
        #expect(host.lastPlan?.identifiers == [.feed])
    }

    @Test
    func `a pending request waits while an older build, whose header lacks the request's kind, replaces its plugin`()
        throws
    {
        let host = host(.app(headerMinor: 2), kinds: [.processing])
        host.change(power: false)
        host.submit(.clean, needsPower: true)
        host.install(.app(version: "0.9", headerMinor: 1))
        host.runToTheEnd()
        host.forgetThePast()
        host.change(power: true)
        #expect(host.reasons(.clean) == [.pluginTooOld(since: 2, header: 1)])
        #expect(host.plans.isEmpty)
        host.install(.app(version: "1.1", headerMinor: 2))
        #expect(host.plans.contains { $0.identifiers == [.clean] })
    }

    @Test(arguments: [1, 2])
    func `a continued request joins a running launch only if the header of the launch's library has that kind`(
        header: Int
    ) throws {
        let host = SchedulerDriver(.studio(headerMinor: header)) { $0.abiMinors = ABIMinors(kinds: [.continued: 2]) }
        let plan = try #require(host.openByUser())
        host.install(.studio(version: "2.0", headerMinor: 2))
        #expect(host.submitContinued(.album(1), from: plan)?.submission != nil)
        #expect((host.arrivals[plan.number]?.count ?? 0) == (header == 2 ? 1 : 0))
        #expect(host.plans.contains { $0.identifiers == [.album(1)] } == (header == 1))
    }

    // MARK: Events

    @Test func `a plugin whose header lacks the started event gets none, and gets one with a newer build`() {
        let host = host(events: [.started])
        host.install(.app(headerMinor: 1))
        #expect(host.plans.isEmpty && host.pendingEvents.isEmpty)
        #expect(host.entries(.pluginInstalled).map(\.plugin) == [.app])
        host.install(.app(version: "2.0", headerMinor: 2))
        #expect(host.lastPlan?.tasks.map(\.work.label) == ["started"])
    }

    @Test func `a trigger of an extension whose header lacks triggers is refused, with both versions`() throws {
        let app = PluginEntry.app(extensions: [.keyboard], headerMinor: 2)
        let host = host(app, .keyboard(headerMinor: 1), events: [.trigger])
        let refusal = try #require(host.trigger()?.refusal)
        #expect(refusal.code == .unavailable && refusal.subReason == .notOffered)
        #expect(refusal.message.contains("minor version 1, and triggers exist since minor version 2"))
        #expect(host.pendingEvents.isEmpty && host.plans.isEmpty)
        host.install(.keyboard(version: "2.0", headerMinor: 2))
        host.trigger()
        #expect(host.lastPlan?.tasks.map(\.work.label) == ["trigger"])
    }

    @Test func `a plugin whose header lacks the fetch event gets none`() {
        for header in [1, 2] {
            let news = PluginEntry.main("com.example.news", permitted: [], modes: [.fetch], headerMinor: header)
            let host = SchedulerDriver { $0.abiMinors = ABIMinors(events: [.fetch: 2]) }
            host.install(news)
            let plan = host.lastPlan
            host.enter(plan)
            if let plan { host.send(.fetchIntervalSet(plan.number, .hours(1))) }
            host.completeEvents(in: plan)
            host.forgetThePast()
            host.advance(by: .hours(2))
            let isFetching = host.plans.flatMap(\.tasks).contains { $0.work.label == "fetch" }
            #expect(isFetching == (header == 2), "header \(header)")
        }
    }

    @Test func `a waiting trigger is not delivered to an older build of its extension whose header lacks triggers`()
        throws
    {
        let app = PluginEntry.app(extensions: [.keyboard], headerMinor: 2)
        let host = host(app, .keyboard(headerMinor: 2), events: [.trigger])
        host.runners = .held
        host.trigger()
        host.install(.keyboard(version: "0.9", headerMinor: 1))
        host.bringRunners()
        #expect(host.pendingEvents == [.trigger])
        #expect(!host.plans.contains { $0.tasks.contains { $0.work.label == "trigger" } })
    }
}
