// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("bgtaskd passes the scenarios with which any host of the ABI and the control API can be tested")
struct HostScenarioTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "HostScenarios")

    private static let names = {
        let files = try? FileManager.default.contentsOfDirectory(
            atPath: directory.appending(path: "scenarios").path
        )
        return (files ?? []).filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    @Test func `at least 48 scenarios for hosts are found`() {
        #expect(Self.names.count >= 48)
    }

    @Test(arguments: names) func `bgtaskd writes the journal that a scenario for hosts expects`(
        scenario: String
    ) async throws {
        let run = try await Self.run(scenario)
        #expect(run.status == 0, "\(run.output)\(run.error)")
    }

    /// A scenario passes only when it has seen a journal: a program that serves no socket fails every scenario.
    @Test func `a program that is no host fails a scenario`() async throws {
        let run = try await Self.run("succeeds", ["--host", "/bin/true"])
        #expect(run.status == 1 && run.output.contains("the host ended with 0 at its start"), "\(run.output)")
    }

    @Test func `Documentation/HostConformance.md has the generated table of rules and scenarios`() async throws {
        let page = Self.directory.appending(path: "../../Documentation/HostConformance.md").standardizedFileURL
        let table = try await ProgramRun.of(
            "/usr/bin/python3",
            [Self.directory.appending(path: "run").path, "--rules"],
            within: .seconds(60)
        )
        #expect(table.status == 0, "\(table.error)")
        let written = try String(contentsOf: page, encoding: .utf8)
        let first = try #require(written.range(of: "<!-- rules -->\n"))
        let last = try #require(written.range(of: "<!-- /rules -->"))
        let text = written[..<first.upperBound] + table.output + written[last.lowerBound...]
        if ProcessInfo.processInfo.environment["BGTASK_RENEW"] == "1" {
            try String(text).write(to: page, atomically: true, encoding: .utf8)
        } else {
            #expect(String(text) == written, "write it with: BGTASK_RENEW=1 swift test --filter HostScenarioTests")
        }
    }

    @Test func `a rule without a scenario fails the table of rules, and the message names the rule`() async throws {
        try await ScratchDirectory.with { directory in
            let header = "/*\n * BGT-ABI-13  a rule\n * BGT-ABI-\(99)  a new rule\n */\n"
            try header.write(toFile: directory.file("bgtask.h"), atomically: true, encoding: .utf8)
            for name in ["run", "host.py", "scenario.py"] {
                try FileManager.default.copyItem(
                    atPath: Self.directory.appending(path: name).path,
                    toPath: directory.file(name)
                )
            }
            try FileManager.default.createDirectory(
                atPath: directory.file("scenarios"),
                withIntermediateDirectories: true
            )
            try "statement: s\nrules: [BGT-ABI-13]\nplugins: []\nsteps: []\n"
                .write(toFile: directory.file("scenarios/one.yaml"), atomically: true, encoding: .utf8)
            let table = try await ProgramRun.of(
                "/usr/bin/python3",
                [directory.file("run"), "--header", directory.path, "--rules"],
                within: .seconds(60)
            )
            #expect(table.status == 1 && table.error.contains("no scenario has BGT-ABI-\(99)"), "\(table.error)")
        }
    }

    private static func run(_ scenario: String, _ options: [String] = []) async throws -> ProgramRun {
        let build = URL(filePath: try BuiltProgram.host.path()).deletingLastPathComponent().path
        return try await HostSlots.withSlot {
            try await ProgramRun.of(
                "/usr/bin/python3",
                [directory.appending(path: "run").path, "--slack", "4"] + options + [scenario],
                environment: ProcessInfo.processInfo.environment.merging(["BGTASK_BUILD": build]) { $1 },
                within: .seconds(300)
            )
        }
    }
}
