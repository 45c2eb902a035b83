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

    @Test func `at least 28 scenarios for hosts are found`() {
        #expect(Self.names.count >= 28)
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
