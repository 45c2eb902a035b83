// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

@testable import Replay

@Suite("A replay applies the conditions, suspensions and uses of its trace")
struct WorldTests {
    private static let backup = """
          com.example.backup:
            tasks:
              com.example.backup.night:
                kind: processing
                every: 1h
                needs: [external-power]
                takes: { typical: 9min }
        """

    @Test
    func `a task in a replay that requires power expires when power is lost and runs again when it returns`() throws {
        let steady = try ReplayScenario.of(trace: "", plugins: Self.backup).play().report
        let first = try #require(steady.launches(of: "com.example.backup").first)
        let lost = Int(first.start / 60_000_000_000) + 4
        let trace = "spans: { external-power: [\"00:00-\(clock(lost))\", \"\(clock(lost + 120))-24:00\"] }"
        let report = try ReplayScenario.of(trace: trace, plugins: Self.backup).play().report
        let plugin = try report.plugin("com.example.backup")
        #expect(plugin.expirations(because: "external power lost") == 1)
        #expect(plugin.outcomes("expired") + plugin.outcomes("failed") == 1)
        #expect(plugin.waited(for: "external-power") > 30 * 60_000_000_000)
        #expect(plugin.launches > 2)
    }

    @Test func `a task that ignores its expirations in a replay overruns at each launch that ends in the replay`()
        throws
    {
        let deaf = Self.backup.replacing(
            "takes: { typical: 9min }",
            with: "takes: { typical: 2h }\n        obeys: false"
        )
        let report = try ReplayScenario.of(trace: "", plugins: deaf).play().report
        let plugin = try report.plugin("com.example.backup")
        #expect(plugin.launches > 0)
        #expect(plugin.overruns == plugin.launches || plugin.overruns == plugin.launches - 1)
        #expect(plugin.outcomes("overran") == plugin.overruns)
    }

    private static var crowd: String {
        (10..<30).map { number in
            """
              com.example.app\(number):
                tasks: { com.example.app\(number).poll: { kind: refresh, every: 30min, takes: { typical: 1s } } }

            """
        }.joined()
    }

    private func startsAfterSleep(stagger: Duration) throws -> [Int64] {
        let trace = "suspended: [\"01:00-07:00\"]"
        let report = try ReplayScenario.of(trace: trace, plugins: Self.crowd) { configuration in
            configuration.policies.stagger = stagger
            configuration.backgroundLaunches = 100
        }.play().report
        let sleep = (from: Int64(3_600_000_000_000), to: Int64(7 * 3_600_000_000_000))
        let starts = report.launches.filter { $0.lane == "background" }.map(\.start)
        #expect(!starts.contains { sleep.from < $0 && $0 < sleep.to })
        return starts.filter { $0 >= sleep.to && $0 < sleep.to + 60_000_000_000 }
    }

    @Test func `requests that become due during a suspension of a replay are staggered after the resume`() throws {
        let atOnce = try startsAfterSleep(stagger: .zero)
        let staggered = try startsAfterSleep(stagger: .seconds(60))
        #expect(atOnce.count >= 20 && staggered.count >= 20)
        let second: Int64 = 1_000_000_000
        #expect(Set(atOnce.map { $0 / second }).count == 1)
        #expect(Set(staggered.map { $0 / second }).count > 10)
    }

    /// A task in runs of at most ten minutes, the default budget.
    private func cleaning(minutes: Int, crashes: Int = 0, continues: Bool) throws -> ReplayReport.Plugin {
        let plugins = """
              com.example.app:
                tasks:
                  com.example.app.clean:
                    kind: processing
                    every: 1h
                    takes: { typical: \(minutes)min }
                    crashes: \(crashes)
                    resubmits: never
            """
        var scenario = try ReplayScenario.of(trace: "", plugins: plugins)
        scenario.population.plugins[0].tasks[0].continues = continues
        return try scenario.play().report.plugin("com.example.app")
    }

    @Test func `a task with a cursor does the rest of its work in the next run of a replay`() throws {
        let plugin = try cleaning(minutes: 25, continues: true)
        let other = try cleaning(minutes: 25, continues: false)
        #expect(plugin.outcomes("continues") == 2 && other.outcomes("continues") == 0)
        // The event `started` succeeds in both.
        #expect(plugin.outcomes("succeeded") == other.outcomes("succeeded") + 1)
    }

    @Test func `crashes of a task that moves its cursor charge no attempt in a replay`() throws {
        let plugin = try cleaning(minutes: 8, crashes: 100, continues: true)
        #expect(plugin.outcomes("continues") > 3 && plugin.outcomes("abandoned") == 0)
        #expect(try cleaning(minutes: 8, crashes: 100, continues: false).outcomes("abandoned") == 1)
    }

    @Test func `a suspension in a replay does not use up the budget of a running launch`() throws {
        let steady = try ReplayScenario.of(trace: "", plugins: Self.backup).play().report
        let first = try #require(steady.launches(of: "com.example.backup").first)
        let minute = Int(first.start / 60_000_000_000) + 4
        let trace = "suspended: [\"\(clock(minute))-\(clock(minute + 60))\"]"
        let report = try ReplayScenario.of(trace: trace, plugins: Self.backup).play().report
        let slept = try #require(report.launches(of: "com.example.backup").first)
        #expect(slept.outcome == "completed")
        #expect((slept.used ?? 0) < 600_000_000_000)
    }

    @Test func `users in a replay trigger extensions as often as the trace requires, and submit continued requests`()
        throws
    {
        let plugins = """
              com.example.app:
                tasks:
                  com.example.app.learn: { kind: processing, takes: { typical: 5s } }
                  com.example.app.export: { kind: continued, takes: { typical: 90s } }
                  com.example.app.clean: { kind: processing, every: 20h, takes: { typical: 5s } }
                extensions:
                  com.example.app.keyboard: { takes: { typical: 100ms }, submits: com.example.app.learn }
            """
        let trace = "use: { active: [\"09:00-17:00\"], triggers: 12, launches: 2, continued: 3 }"
        let report = try ReplayScenario.of(trace: trace, plugins: plugins).play().report
        let plugin = try report.plugin("com.example.app")
        #expect(plugin.events == 12 + 1)
        let continued = report.launches.filter { $0.lane == "continued" }
        #expect((1...3).contains(continued.count))
        #expect(continued.allSatisfy { $0.budget == nil && $0.outcome == "completed" })
        #expect(plugin.waited(for: "not-idle") > 0)
    }

    @Test func `a continued task without progress expires in a replay`() throws {
        let plugins = """
              com.example.app:
                tasks: { com.example.app.export: { kind: continued, takes: { typical: 5min }, overruns: 100 } }
            """
        let trace = "use: { active: [\"09:00-17:00\"], continued: 3 }"
        let plugin = try ReplayScenario.of(trace: trace, plugins: plugins).play().report.plugin("com.example.app")
        #expect(plugin.launches > 0)
        #expect(plugin.expirations(because: "no progress") == plugin.launches)
    }

    private func clock(_ minute: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minute / 60)):\(two(minute % 60))"
    }
}
