// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Replay
import Scheduling
import TaskLedger
import TaskModel
import Testing

@Suite("A forecast equals the launches that the host then makes")
struct ForecastTests {
    private static let kinds: [TaskKind] = [.refresh, .processing]

    private static func plugin(_ index: Int) throws -> PluginIdentifier {
        try #require(PluginIdentifier("com.example.plugin\(index)"))
    }

    private static func task(_ index: Int, _ name: String) throws -> TaskIdentifier {
        try #require(TaskIdentifier("com.example.plugin\(index).\(name)"))
    }

    private static let names = ["refresh", "hourly", "clean", "index"]

    private static func entry(_ index: Int) throws -> PluginEntry {
        PluginEntry(
            identifier: try plugin(index),
            name: "Plugin \(index)",
            version: "1",
            role: .main,
            permitted: try names.map { .exact(try task(index, $0)) },
            modes: [.fetch, .processing],
            library: LibraryFile(
                path: "/opt/lib\(index).so",
                digest: "ab\(index)",
                identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
            ),
            manifestPath: "/etc/\(index).yaml",
            manifestDigest: "cd\(index)"
        )
    }

    /// A host with several plugins, half of which have schedules.
    private static func host(seed: UInt64, power: Bool) async throws -> WalkedHost {
        var chance = SeededGenerator(seed: seed, for: "setup")
        let count = Int.random(in: 2...5, using: &chance)
        var configuration = SchedulingConfiguration()
        configuration.backgroundLaunches = Int.random(in: 1...3, using: &chance)
        configuration.spacing = chance.duration(in: .seconds(1) ... .seconds(120))
        configuration.policies.kindSpacing[.refresh] = chance.duration(in: .zero ... .seconds(1_200))
        var times: [ExpectedTimes.Key: Duration] = [:]
        for index in 1...count {
            let plugin = try plugin(index)
            times[.init(plugin, .refresh)] = chance.duration(in: .milliseconds(100) ... .seconds(20))
            times[.init(plugin, .processing)] = chance.duration(in: .seconds(1) ... .seconds(500))
            times[.init(plugin, .event)] = .milliseconds(50)
            guard chance.chance(50) else { continue }
            var policy = PluginPolicy()
            policy.schedules[try task(index, "hourly")] = WorkSchedule(
                .every(chance.duration(in: .seconds(600) ... .seconds(4_000))),
                kind: .refresh
            )
            policy.schedules[try task(index, "index")] = WorkSchedule(
                .every(chance.duration(in: .seconds(3_000) ... .seconds(20_000))),
                kind: .processing,
                requiresExternalPower: chance.chance(50)
            )
            configuration.plugins[plugin] = policy
        }
        let host = try await WalkedHost(
            (1...count).map(entry),
            times: times,
            configuration: configuration,
            conditions: Conditions(isOnExternalPower: power, hasNetwork: true),
            seed: seed
        )
        host.crashes = 20
        return host
    }

    /// Submits requests at random times for some hours. Afterwards launches run, wait, are delayed and spaced.
    private static func walk(_ host: WalkedHost, seed: UInt64) async throws {
        var chance = SeededGenerator(seed: seed, for: "walk")
        for _ in 0..<Int.random(in: 20...60, using: &chance) {
            try await host.play(until: host.now.wall + chance.duration(in: .seconds(1) ... .seconds(600)))
            let index = Int.random(in: 1...host.entries.count, using: &chance)
            let isRefresh = chance.chance(50)
            let request = TaskRequest(
                identifier: try task(index, isRefresh ? "refresh" : "clean"),
                kind: isRefresh ? .refresh : .processing,
                earliestBegin: chance.chance(50)
                    ? host.now.wall + chance.duration(in: .seconds(1) ... .seconds(7_200)) : nil,
                requiresNetwork: false,
                requiresExternalPower: !isRefresh && chance.chance(50)
            )
            try await host.submit(request, by: try plugin(index))
        }
        host.endCrashes()
    }

    /// Seeds of the walks in each run of the tests; the first forty passed when they were written.
    private static let seeds: ClosedRange<UInt64> = 1...8

    @Test(arguments: seeds)
    func `the forecast of a host with schedules, delays and spacing has the launches that the host then makes`(
        seed: UInt64
    ) async throws {
        let host = try await Self.host(seed: seed, power: seed % 3 != 0)
        try await Self.walk(host, seed: seed)
        let end = host.now.wall + .seconds(8 * 3_600)
        let forecast = try host.forecast(until: end)
        #expect(forecast.cut == nil && forecast.computedUntil.wall == end)
        let count = host.begins.count
        try await host.play(until: end)
        #expect(Array(host.begins[count...]) == forecast.begins)
        let waiting = host.core.waitingPage(after: nil, limit: 1_000, at: host.now).items
        #expect(forecast.waiting.map(\.work.label) == waiting.map(\.work.label))
        #expect(forecast.waiting.map { $0.reasons.map(\.code) } == waiting.map { $0.reasons.map(\.code) })
    }

    @Test func `the walk of the forecast tests has launches, waiting work, crashes and running launches`() async throws
    {
        var (launches, waiting, running) = (0, 0, 0)
        for seed in Self.seeds {
            let host = try await Self.host(seed: seed, power: seed % 3 != 0)
            try await Self.walk(host, seed: seed)
            let forecast = try host.forecast(until: host.now.wall + .seconds(8 * 3_600))
            launches += forecast.begins.count
            waiting += forecast.waitingCount
            running += forecast.launches.count(where: \.isRunning)
        }
        #expect(launches > 30 && waiting > 2 && running > 0)
    }

    @Test func `a forecast under external power begins the task that waits for it, and changes nothing on the host`()
        async throws
    {
        let host = try await Self.host(seed: 3, power: false)
        host.endCrashes()
        try await host.play(until: host.now.wall + .seconds(60))
        let task = try Self.task(1, "clean")
        let request = TaskRequest(
            identifier: task,
            kind: .processing,
            earliestBegin: nil,
            requiresNetwork: false,
            requiresExternalPower: true
        )
        try await host.submit(request, by: try Self.plugin(1))
        let end = host.now.wall + .seconds(3_600)
        let (before, journal) = (host.core.explain(task, at: host.now), try host.ledger.newestJournalNumber())

        let present = try host.forecast(until: end)
        #expect(!present.begins.contains { $0.tasks.contains(task.text) })
        let wait = try #require(present.waiting.first { $0.work.label == task.text })
        #expect(wait.reasons.map(\.code) == ["external-power"])

        let other = try host.forecast(until: end) { $0.seed.conditions.isOnExternalPower = true }
        #expect(other.begins.contains { $0.tasks.contains(task.text) })
        #expect(!other.waiting.contains { $0.work.label == task.text })

        #expect(host.core.explain(task, at: host.now) == before)
        #expect(try host.ledger.newestJournalNumber() == journal)
        #expect(try host.forecast(until: end).begins == present.begins)
    }

    @Test func `a forecast with too few steps ends early and reports it`() async throws {
        let host = try await Self.host(seed: 2, power: true)
        try await Self.walk(host, seed: 2)
        let end = host.now.wall + .seconds(8 * 3_600)
        let whole = try host.forecast(until: end)
        let cut = try host.forecast(until: end) { $0.mostSteps = 4 }
        #expect(cut.cut == .steps && cut.computedUntil.wall < end)
        #expect(cut.begins == Array(whole.begins.prefix(cut.begins.count)))
    }

    @Test func `the names of the API are those of the model`() {
        #expect(Forecast.Cut.allCases.map(\.rawValue) == ["steps", "processor-time", "work", "loading"])
        #expect(Forecast.Origin.allCases.map(\.rawValue) == ["running", "pending", "schedule", "host"])
        #expect(ExpectedTimes.Basis.allCases.map(\.rawValue) == ["earlier-runs", "budget", "fixed"])
    }
}
