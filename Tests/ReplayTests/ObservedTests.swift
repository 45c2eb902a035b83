// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

@testable import Replay

@Suite("A replay learns recurring requests from the history of a host, and names all others")
struct ObservedTests {
    private static let hour = 3_600

    /// A launch of one task, `seconds` after the begin of the history. Each launch has a request of its own.
    private func launch(
        _ seconds: Int,
        of plugin: String = "com.example.app",
        task: String? = nil,
        by submitter: Submitter? = nil,
        delay: Int? = nil,
        took: Int = 10,
        cause: LaunchCause = .due,
        kind: TaskKind = .processing,
        _ outcome: TaskOutcome = .succeeded,
        submission: Int64? = nil,
        ended: LaunchOutcome = .completed
    ) throws -> ObservedLaunch {
        let identifier = try #require(PluginIdentifier(plugin))
        let start = ReplayScenario.begin + .seconds(seconds)
        let run = ObservedRun(
            identifier: try #require(TaskIdentifier(task ?? plugin + ".index")),
            kind: kind,
            submission: SubmissionNumber(rawValue: submission ?? Int64(seconds) + 1),
            submitter: submitter ?? .plugin(identifier),
            submittedAt: start,
            earliestBegin: delay.map { start + .seconds($0) },
            took: .seconds(took),
            outcome: outcome
        )
        return ObservedLaunch(
            plugin: identifier,
            cause: cause,
            startedAt: start,
            endedAt: start + .seconds(took),
            outcome: ended,
            runs: [run]
        )
    }

    private func learn(_ launches: [ObservedLaunch]) -> LearnedPopulation { LearnedPopulation(launches) { _ in [] } }

    @Test
    func `run times, interval, failure rate and conditions of a task are derived from its observed runs`() throws {
        let launches = [
            try launch(9 * Self.hour, took: 20), try launch(0), try launch(3 * Self.hour, took: 600, .expired),
            try launch(6 * Self.hour, took: 30, .failed),
        ]
        let learned = LearnedPopulation(launches) { _ in [.network] }
        let task = try #require(learned.population.plugins.first?.tasks.first)
        #expect(task.takes == .observed([.seconds(10), .seconds(30), .seconds(20)]))
        #expect(task.every == .seconds(3 * Self.hour))
        #expect(task.fails == 25)
        #expect(task.overruns == 0)
        #expect(task.requiresNetwork && !task.requiresExternalPower)
        let row = try #require(learned.rows.first)
        #expect(row.source == "plugin" && row.requests == 4 && row.leftOut == nil)
        #expect(row.runTime == 20_000_000_000)
    }

    @Test func `a task observed only once has no interval, and its row states what is missing`() throws {
        let learned = learn([try launch(0)])
        #expect(learned.population.plugins.first?.tasks.first?.every == nil)
        #expect(!learned.hasWork)
        #expect(learned.rows.map(\.leftOut) == ["1 request in 10s; an interval is learned after 3 repetitions"])
    }

    @Test func `requests that a user submitted many times in a few minutes are not repeated`() throws {
        let learned = learn(try (0..<40).map { try launch($0 * 18, by: .user) })
        #expect(learned.population.plugins.first?.tasks.first?.every == nil)
        #expect(learned.rows.map(\.source) == ["user"])
        #expect(learned.rows.map(\.requests) == [40])
        #expect(learned.rows.map(\.leftOut) == ["the trace defines the actions of users"])
        #expect(!learned.hasWork)
    }

    @Test func `a request of a plugin that a user launched is not repeated`() throws {
        let learned = learn(try (0..<9).map { try launch($0 * 60, cause: .user) })
        #expect(learned.rows.map(\.source) == ["user"])
        #expect(!learned.hasWork)
    }

    @Test func `the delay that a plugin requests is its interval, however long its requests waited`() throws {
        let hours = [0, 5, 7, 14, 20]
        let learned = learn(try hours.map { try launch($0 * Self.hour, delay: 4 * Self.hour) })
        #expect(learned.population.plugins.first?.tasks.first?.every == .seconds(4 * Self.hour))
    }

    @Test func `a history shorter than three intervals is named and not extrapolated`() throws {
        let learned = learn(try (0..<9).map { try launch($0 * 80, delay: 24 * Self.hour) })
        #expect(learned.population.plugins.first?.tasks.first?.every == nil)
        #expect(
            learned.rows.map(\.leftOut) == [
                "interval 1d, history of 10min 50s; an interval is learned from a history of 3 intervals"
            ]
        )
    }

    @Test func `a plugin whose launches never began a task is left out and named`() throws {
        let launches = try (0..<9).map {
            try launch($0 * 60, of: "com.bad.undef", .loadFailed, ended: .loadFailed)
        }
        let learned = learn(launches + [try launch(0), try launch(600, .interrupted, ended: .lost)])
        #expect(learned.population.plugins.map(\.identifier.text) == ["com.example.app"])
        let row = try #require(learned.rows.first)
        #expect(row.plugin == "com.bad.undef" && row.task == nil && row.requests == 9)
        #expect(row.leftOut?.hasPrefix("each of its 9 launches failed before a task began (load-failed)") == true)
    }

    @Test func `the runs of a requeued request are one request`() throws {
        let retries = try (0..<9).map { try launch($0 * 10, .crashed, submission: 7, ended: .crashed) }
        let learned = learn(retries)
        #expect(learned.rows.map(\.requests) == [1])
        #expect(learned.population.plugins.first?.tasks.first?.crashes == 100)
        #expect(learned.population.plugins.first?.tasks.first?.every == nil)
    }

    @Test func `a task that continued has a cursor, and its run time is that of all runs of a request`() throws {
        let launches = [
            try launch(0, took: 300, .continues, submission: 7), try launch(600, took: 300, .continues, submission: 7),
            try launch(1_200, took: 40, submission: 7), try launch(3 * Self.hour, took: 500, submission: 8),
            try launch(6 * Self.hour, took: 300, .continues, submission: 9),
        ]
        let task = try #require(learn(launches).population.plugins.first?.tasks.first)
        #expect(task.continues)
        #expect(task.takes == .observed([.seconds(640), .seconds(500)]))
        let other = learn([try launch(0), try launch(60, .expired)]).population.plugins.first?.tasks.first
        #expect(other?.continues == false)
    }

    @Test func `requests of a schedule become a schedule of the replay, unless the configuration has one`() throws {
        let learned = learn(try (0..<6).map { try launch($0 * Self.hour, by: .schedule) })
        let plugin = try #require(PluginIdentifier("com.example.app"))
        let task = try #require(TaskIdentifier("com.example.app.index"))
        #expect(learned.population.plugins.first?.tasks.first?.every == nil)
        #expect(learned.rows.map(\.source) == ["schedule"])
        let hourly = WorkSchedule(.every(.seconds(Self.hour)))
        #expect(learned.configuration(SchedulingConfiguration()).policy(for: plugin).schedules == [task: hourly])
        var own = PluginPolicy()
        own.schedules = [task: WorkSchedule(.every(.seconds(60)))]
        var configuration = SchedulingConfiguration()
        configuration.plugins = [plugin: own]
        #expect(learned.configuration(configuration).policy(for: plugin).schedules == own.schedules)
    }

    @Test func `a replay repeats the requests of an extension at their interval`() throws {
        let keyboard = try #require(PluginIdentifier("com.example.app.keyboard"))
        let learned = learn(try (0..<6).map { try launch($0 * Self.hour, by: .plugin(keyboard)) })
        #expect(learned.rows.map(\.source) == ["trigger"])
        let report = ReplayScenario(
            length: .day,
            trace: ConditionTrace(),
            population: learned.population,
            configuration: learned.configuration(SchedulingConfiguration()),
            seed: 1
        ).play().report
        #expect((20...24).contains(try report.plugin("com.example.app").launches))
    }

    /// A replay of a day with pushes that were delivered at the same interval 50 times.
    private func replayOfPushes(every seconds: Int) throws -> (learned: LearnedPopulation, report: ReplayReport) {
        let learned = learn(
            try (0..<50).map { try launch($0 * seconds, task: "com.example.app:push", by: .user, took: 1, kind: .push) }
        )
        let scenario = ReplayScenario(
            length: .day,
            trace: ConditionTrace(),
            population: learned.population,
            configuration: learned.configuration(SchedulingConfiguration()),
            seed: 1
        )
        return (learned, scenario.play().report)
    }

    @Test func `a replay repeats the pushes of a history at their interval, also those that a user ran`() throws {
        let (learned, report) = try replayOfPushes(every: 2 * Self.hour)
        #expect(learned.rows.map(\.source) == ["sender"] && learned.rows.map(\.leftOut) == [nil])
        #expect(learned.rows.map(\.interval) == [7_200_000_000_000] && learned.hasWork && learned.schedules.isEmpty)
        #expect(try (11...12).contains(report.plugin("com.example.app").launches))
        let run = learn(try (0..<9).map { try launch($0 * 60, by: .user, cause: .user, kind: .push) })
        #expect(run.rows.map(\.source) == ["sender"])
    }

    @Test func `the pushes of a replay wait for the spacing of pushes and replace each other`() throws {
        let (_, report) = try replayOfPushes(every: 300)
        let plugin = try report.plugin("com.example.app")
        #expect((60...72).contains(plugin.launches))
        #expect(report.launches(of: "com.example.app").allSatisfy { $0.tasks == ["com.example.app:push"] })
    }

    @Test func `a continued task is in the population, for the simulated users of the trace`() throws {
        let learned = learn([try launch(0, by: .user, kind: .continued)])
        #expect(learned.hasWork)
        #expect(learned.population.plugins.first?.tasks.first?.kind == .continued)
    }

    @Test func `a replay reports rising hours and launches until its end`() throws {
        var reports: [ReplayProgress] = []
        let scenario = try ReplayScenario.shipped("office.yaml", .day, count: 10, seed: 1)
        let record = scenario.play { reports.append($0) }
        #expect(reports.count > 12 && reports.allSatisfy { $0.allHours == 24 })
        #expect(reports.map(\.hours) == Set(reports.map(\.hours)).sorted())
        #expect(reports.map(\.launches) == reports.map(\.launches).sorted())
        #expect((reports.last?.launches ?? 0) <= record.report.launches.count)
    }
}
