// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import PluginConformance
import Testing

@Suite("bgtask plugin check finds each defect with one check, and none in a good plugin")
struct ConformanceTests {
    /// Options with a fixed seed, and with 2 instead of 10 times the limits for the repetition of a check that failed
    /// by time. A plugin with a defect uses up the whole limit.
    private static let quick = ["--slack", "2", "--seed", "1"]

    private static let fixtures = (try? ConformanceFixture.all()) ?? []
    private static let levels = Dictionary(uniqueKeysWithValues: ConformanceCheck.all.map { ($0.name, $0.level) })

    @Test(arguments: fixtures.filter { $0.failing != nil })
    func `a plugin with one defect fails exactly the conformance check of this defect`(fixture: ConformanceFixture)
        async throws
    {
        let check = try #require(fixture.failing)
        let level = try #require(Self.levels[check], "\(check) is no check of level 1 or above")
        let report = try await CheckedPlugin.check(fixture.plugins, level: level, Self.quick)
        #expect(report.failures == [check], "\(report.details)")
        #expect(report.status == 1)
    }

    @Test(arguments: fixtures.filter { $0.warning != nil })
    func `a plugin with a defect that a conformance check only warns of conforms, with exactly that warning`(
        fixture: ConformanceFixture
    ) async throws {
        let check = try #require(fixture.warning)
        let level = try #require(Self.levels[check], "\(check) is no check of level 1 or above")
        let report = try await CheckedPlugin.check(fixture.plugins, level: level, Self.quick)
        #expect(report.failures == [] && report.names("warn") == [check], "\(report.details)")
        #expect(report.status == 0)
    }

    @Test(arguments: fixtures.filter { $0.failing == nil && $0.warning == nil })
    func `a good plugin in C or C++ fails no conformance check of any level`(fixture: ConformanceFixture) async throws {
        let report = try await CheckedPlugin.check(
            fixture.plugins,
            level: ConformanceCheck.highestLevel,
            ["--seed", "1"]
        )
        #expect(report.failures == [], "\(report.details)")
        #expect(report.status == 0)
    }

    @Test func `a good plugin in Swift fails no conformance check of any level`() async throws {
        var plugin = TestPlugin.part("TaskRefresh", .swift6)
        plugin.tasks = ["refresh"]
        plugin.modes = ["fetch"]
        let report = try await CheckedPlugin.check([plugin], level: ConformanceCheck.highestLevel, ["--seed", "1"])
        #expect(report.failures == [], "\(report.details)")
    }

    /// The compilers of the tested languages: `rustc`, and with `BGTASK_LANGUAGES=all` those of `make languages`.
    private static let compilers =
        ProcessInfo.processInfo.environment["BGTASK_LANGUAGES"] == "all" ? ["rustc", "go", "gdc", "zig"] : ["rustc"]

    @Test(arguments: compilers)
    func `the model plugin fails no conformance check of any level in each tested language`(compiler: String)
        async throws
    {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        try await ScratchDirectory.with { directory in
            let library = directory.file("libmodel.so")
            let run = try await ProgramRun.of(
                // A script cannot be started from its descriptor alone.
                "/bin/bash",
                [tests.appending(path: "Languages/build").path, compiler, library],
                within: .seconds(120)
            )
            if run.status == 77 { try Test.cancel("\(compiler) is not installed; make languages") }
            try #require(run.status == 0, "\(run.error)")
            var plugin = TestPlugin("Model", tasks: ["work", "waits"])
            plugin.library = .bytes(Array(try Data(contentsOf: URL(filePath: library))))
            plugin.settings = ["colour": "blue"]
            let level = ConformanceCheck.highestLevel
            let report = try await CheckedPlugin.check([plugin], level: level, ["--seed", "1"])
            #expect(report.failures == [], "\(report.details)")
        }
    }
}
