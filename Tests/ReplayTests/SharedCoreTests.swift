// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

@testable import Replay

@Suite("A replay decides with the scheduler of the host")
struct SharedCoreTests {
    private static let pair = """
          com.example.app:
            tasks:
              com.example.app.refresh: { kind: refresh, every: 3h, takes: { typical: 2min } }
              com.example.app.clean: { kind: processing, every: 3h, takes: { typical: 4min } }
        """

    @Test func `a batch in a replay has one budget, the largest budget of its tasks`() throws {
        // Both tasks wait for the network and share one launch when it returns.
        let plugins = Self.pair.replacing("every: 3h", with: "every: 3h, needs: [network]")
        let trace = "spans: { network: [\"03:10-24:00\"] }"
        let report = try ReplayScenario.of(trace: trace, plugins: plugins).play().report
        let batch = try #require(report.launches(of: "com.example.app").first)
        #expect(batch.tasks == ["com.example.app.clean", "com.example.app.refresh"].shuffledAs(batch.tasks))
        #expect(batch.tasks.count == 2)
        #expect(batch.budget == 600_000_000_000)
        #expect(batch.outcome == "completed")
        #expect(try report.plugin("com.example.app").largestBatch == 2)
    }

    @Test func `a refresh that runs alone in a replay expires at the budget of its kind`() throws {
        let plugins = """
              com.example.app:
                tasks: { com.example.app.refresh: { kind: refresh, every: 3h, takes: { typical: 2min } } }
            """
        let report = try ReplayScenario.of(trace: "", plugins: plugins).play().report
        let plugin = try report.plugin("com.example.app")
        #expect(plugin.launches > 0)
        #expect(plugin.expirations(because: "budget used up") == plugin.launches)
        #expect(report.launches(of: "com.example.app").allSatisfy { ($0.used ?? 0) < 35_000_000_000 })
    }

    @Test
    func `the recorded waits of a replay contain the lasting reasons that the scheduler explains for due requests`()
        throws
    {
        let scenario = try ReplayScenario.shipped("laptop.yaml", .day, count: 10, seed: 3)
        let world = ReplayWorld(scenario)
        var compared = 0
        for quarter in 1..<96 {
            let time = scenario.period.lowerBound + .seconds(quarter * 900)
            if world.clock.now.wall >= time { continue }
            world.play(until: time)
            for pending in world.scheduler.pendingRequests {
                let explanation = world.scheduler.explain(pending.request.identifier, at: world.clock.now)
                // Reasons caused by other work are recorded only at their end.
                let lasting = Set(explanation.reasons.map(\.code)).subtracting(Self.passing)
                // A request that is not due is not part of the wait of its class.
                guard lasting.isDisjoint(with: ["earliest-begin", "retry-delay"]), !lasting.isEmpty,
                    let reported = world.record.openReasons[WaitKey(of: .request(pending))]
                else { continue }
                // A request past its maximum deferral waits for fewer reasons than its class.
                #expect(lasting.isSubset(of: reported), "\(pending.request.identifier) at \(quarter)")
                compared += 1
            }
        }
        #expect(compared > 50)
    }

    private static let passing: Set = [
        "lane-busy", "others-run-alone", "launch-limit", "spacing", "stagger", "being-recorded", "runner-unavailable",
    ]

    @Test
    func `a plugin that overruns in a replay waits longer and is launched less often than one that does not`() throws {
        let plugins = """
              com.example.careful:
                tasks: { com.example.careful.poll: { kind: refresh, every: 1min, takes: { typical: 2s } } }
              com.example.careless:
                tasks:
                  com.example.careless.poll: { kind: refresh, every: 1min, takes: { typical: 2s }, overruns: 100 }
            """
        let report = try ReplayScenario.of(trace: "", plugins: plugins).play().report
        let (careful, careless) = (try report.plugin("com.example.careful"), try report.plugin("com.example.careless"))
        #expect(careless.overruns == careless.launches || careless.overruns == careless.launches - 1)
        #expect(careful.overruns == 0)
        #expect(careful.p95Wait < 1_000_000_000)
        #expect(careless.p95Wait > 30 * 60 * 1_000_000_000)
        #expect(careless.waited(for: "spacing") > 100 * max(1, careful.waited(for: "spacing")))
        #expect(careless.launches < careful.launches / 10)
    }

    @Test func `a plugin in a replay is refreshed before its expected use, and seldom before that`() throws {
        let plugins = """
              com.example.app:
                tasks: { com.example.app.poll: { kind: refresh, every: 1min, takes: { typical: 2s } } }
            """
        var scenario = try ReplayScenario.of(trace: "", plugins: plugins) { configuration in
            configuration.policies.kindSpacing = [.refresh: .seconds(15 * 60)]
            configuration.policies.learnsUse = true
        }
        let without = try scenario.play().report.plugin("com.example.app").launches
        // Used at 9:40 of the last two Mondays; the replay begins on a Monday.
        let monday = UseHistogram.hour(ofLocal: ReplayScenario.begin.nanoseconds / 1_000_000_000)
        var uses = UseHistogram(firstUse: monday + 9 - 2 * UseHistogram.hoursPerWeek)
        let isChanged = uses.note(monday + 9 - UseHistogram.hoursPerWeek)
        #expect(isChanged)
        scenario.uses = [try #require(PluginIdentifier("com.example.app")): uses]
        let report = scenario.play().report
        let plugin = try report.plugin("com.example.app")
        // Every half an hour until 8:30, afterwards every quarter.
        #expect(plugin.launches < without - 10 && plugin.launches > without / 2)
        #expect(plugin.waited(for: "use-spacing") > 5 * 3_600_000_000_000)
    }

    @Test func `the day budget of a plugin limits the running time of its launches in a replay`() throws {
        let plugins = """
              com.example.app:
                tasks: { com.example.app.index: { kind: processing, every: 1min, takes: { typical: 5min } } }
            """
        let report = try ReplayScenario.of(.week, trace: "", plugins: plugins) { configuration in
            configuration.policies.dayBudget = .seconds(60 * 60)
        }.play().report
        let plugin = try report.plugin("com.example.app")
        #expect(plugin.dayBudget == 3_600_000_000_000)
        #expect(plugin.busiestDay <= plugin.dayBudget + 600_000_000_000)
        #expect(plugin.waited(for: "day-budget") > 24 * 3_600_000_000_000)
    }
}

extension [String] {
    /// This list in the order of `other` if both contain the same elements; otherwise unchanged.
    fileprivate func shuffledAs(_ other: [String]) -> [String] { sorted() == other.sorted() ? other : self }
}
