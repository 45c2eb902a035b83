// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A running host reads its configuration again on a call and on SIGHUP")
struct ReloadTests {
    private static let disabled = "plugins: { com.example.neighbour: { enabled: false } }\n"

    /// Replaces the configuration file of the host.
    private func write(_ text: String, _ host: HostFixture) throws {
        try host.directory.write(text.utf8, to: "bgtaskd.yaml")
    }

    @Test func `bgtask host reload applies changed keys at once and names those that need a restart`() async throws {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            try write("batch-size: 7\njournal-retention: 7d\n" + Self.disabled, host)
            let reloaded = try await host.bgtask("host", "reload")
            #expect(reloaded.status == 0, "\(reloaded.error)")
            #expect(reloaded.output.contains("applied: batch-size, plugins.com.example.neighbour\n"))
            #expect(reloaded.output.contains("restart the host to apply: journal-retention\n"))
            #expect(
                await host.refusal(of: TestPlugin.neighbour.task(), .processing) == "503 unavailable plugin-disabled"
            )
            let refused = try await host.bgtask("run", TestPlugin.neighbour.task(), "--kind", "processing")
            #expect(refused.status == 1 && refused.error.contains("run bgtask host reload"), "\(refused.error)")
            #expect(try await host.client.plugins().plugins.map(\.state) == [.disabled])
            #expect(try await host.show(.neighbour).batchSize == 7)
            let entry = try await host.waitForJournal("the reload") { $0.event == "configuration-reloaded" }
            #expect(entry.user?.command == "bgtask" && entry.message.contains("batch-size"))

            try write("batch-size: 7\njournal-retention: 7d\n", host)
            #expect(try await host.bgtask("host", "reload").status == 0)
            try await host.runNeighbour()
            let unchanged = try await host.bgtask("host", "reload", "--json")
            let reply = try JSONDecoder().decode(HostReloadReply.self, from: Data(unchanged.output.utf8))
            #expect(reply.applied.isEmpty && reply.needingRestart == ["journal-retention"])
        }
    }

    @Test func `a configuration file with a problem changes nothing, and the answer has its line`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            try write("batch-size: 7\nspacign: 5s\n" + Self.disabled, host)
            let refused = try await host.bgtask("host", "reload")
            #expect(refused.status == 1 && refused.error.contains("bgtaskd.yaml:2:1"), "\(refused.error)")
            #expect(refused.error.contains("stays in force") && refused.error.contains("spacing"))
            try await host.runNeighbour()
            #expect(try await host.show(.neighbour).batchSize != 7)
        }
    }

    @Test func `a reload prints each of several problems on a line of its own, and JSON has them as a list`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            try write("batch-size: none\nspacign: 5s\n", host)
            let refused = try await host.bgtask("host", "reload", "--json")
            let lines = refused.error.split(separator: "\n")
            #expect(refused.status == 1 && lines.count == 3, "\(refused.error)")
            #expect(lines.first?.contains("the configuration has 2 problems") == true)
            for (line, place) in zip(lines.dropFirst(), ["bgtaskd.yaml:1:13", "bgtaskd.yaml:2:1"]) {
                #expect(line.contains(place) && !line.contains("\\n"))
            }
            let reply = try JSONDecoder().decode(ErrorReply.self, from: Data(refused.output.utf8))
            #expect(reply.error.problems?.count == 2)
            let logged = try await host.waitForLog("the second problem") { $0.contains("bgtaskd.yaml:2:1") }
            #expect(!logged.contains("bgtaskd.yaml:1:13"))
        }
    }

    @Test func `SIGHUP reloads the configuration of a host without a terminal, with the result in the log`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            try write(Self.disabled, host)
            kill(host.pid, SIGHUP)
            try await host.waitForLog("the reload") { $0.contains("configuration reloaded") }
            let entry = try await host.waitForJournal("the reload") { $0.event == "configuration-reloaded" }
            #expect(entry.user == nil)
            #expect(
                await host.refusal(of: TestPlugin.neighbour.task(), .processing) == "503 unavailable plugin-disabled"
            )
            try write("batch-size: none\n", host)
            kill(host.pid, SIGHUP)
            try await host.waitForLog("the problem") { $0.contains("configuration not reloaded") }
        }
    }

    @Test func `a reload warns about retries of identifiers that the manifest does not permit`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let (task, typo) = (TestPlugin.neighbour.task(), TestPlugin.neighbour.task("tsak"))
            try write("plugins: { com.example.neighbour: { retry: { \(task): accept, \(typo): accept } } }\n", host)
            let reloaded = try await host.bgtask("host", "reload")
            #expect(reloaded.status == 0 && reloaded.output.contains("applied: plugins.com.example.neighbour\n"))
            let warnings = reloaded.output.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
            #expect(warnings.count == 1, "\(reloaded.output)")
            #expect(warnings.first?.contains("plugins.com.example.neighbour.retry.\(typo): ") == true)
            #expect(warnings.first?.contains("write \"\(task)\" if that task is meant") == true)
            try await host.waitForLog("the warning") { $0.contains("retry.\(typo)") }
        }
    }

    @Test func `a reload starts the schedules that were added to the configuration`() async throws {
        try await HostFixture.with { host in
            try await host.started(.neighbour)
            let task = TestPlugin.neighbour.task()
            try write("plugins: { com.example.neighbour: { schedules: { \(task): { every: 1h } } } }\n", host)
            #expect(try await host.bgtask("host", "reload").status == 0)
            #expect(try await host.show(.neighbour).schedules.first?.next != nil)
            #expect(try await host.why(task).nextOccurrence != nil)
        }
    }
}
