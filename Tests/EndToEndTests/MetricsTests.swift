// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@Suite("A real host's metrics are accepted by the tools that read them")
struct MetricsTests {
    private static let python = "/usr/bin/python3"

    /// Parses OpenMetrics text, and prints each sample of a counter.
    private static let parser = """
        import sys
        from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
        for family in parse(open(sys.argv[1]).read()):
            for sample in family.samples:
                print(family.type, sample.name, sample.labels.get("plugin", "-"), int(sample.value))
        """

    private static var hasParser: Bool {
        FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/prometheus_client/openmetrics/parser.py")
    }

    @Test func `stats shows the success rate and the running time of a plugin that has run`() async throws {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            let run = try await host.bgtask("stats", TestPlugin.neighbour.identifier, "--json")
            #expect(run.status == 0, "\(run.error)")
            let stats = try JSONDecoder().decode(StatsReply.self, from: Data(run.output.utf8))
            let row = try #require(stats.rows.first { $0.kind == "processing" || $0.kind == "refresh" })
            #expect(row.launches == 1 && row.succeeded == 1 && row.successPercent == 100 && row.runTime != nil)
            #expect(stats.disk.ledgerBytes > 0 && stats.isComplete)
            let text = try await host.bgtask("stats", "--since", "1h")
            #expect(text.status == 0 && text.output.contains("100 %"), "\(text.output)\(text.error)")
            let unknown = try await host.bgtask("stats", "com.example.nobody")
            #expect(unknown.status == 1 && unknown.error.contains("com.example.nobody"))
        }
    }

    @Test func `the counters of a host's metrics count its launches and outcomes and do not fall`() async throws {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            let plugin = TestPlugin.neighbour.identifier
            let first = try await Self.values(host)
            try await host.runNeighbour()
            let second = try await Self.values(host)
            for (name, value) in first where name.contains("_total") || name.contains("_bucket") {
                #expect(try #require(second[name]) >= value, "\(name)")
            }
            let succeeded = second.filter {
                $0.key.hasPrefix("bgtask_task_outcomes_total{plugin=\"\(plugin)\"") && $0.key.contains("\"succeeded\"")
            }
            #expect(succeeded.values.reduce(0, +) >= 2, "\(succeeded)")
            #expect(second["bgtask_ledger_writable"] == 1)
            #expect(second.keys.contains { $0.hasPrefix("bgtask_plugin_info{plugin=\"\(plugin)\"") })
        }
    }

    @Test(.enabled(if: hasParser, "takes python3-prometheus-client"))
    func `the parser of prometheus_client accepts the OpenMetrics text of a host`() async throws {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            let run = try await host.bgtask("metrics", "--openmetrics")
            #expect(run.status == 0, "\(run.error)")
            try host.directory.write(run.output.utf8, to: "metrics.txt")
            let parsed = try await ProgramRun.of(Self.python, ["-c", Self.parser, host.directory.file("metrics.txt")])
            #expect(parsed.status == 0, "\(parsed.error)")
            #expect(
                parsed.output.contains("counter bgtask_launches_total \(TestPlugin.neighbour.identifier) "),
                "\(parsed.output)"
            )
        }
    }

    @Test func `metrics --listen serves the metrics of its host, and answers 503 after the host has ended`()
        async throws
    {
        try await HostFixture.with { host in
            let listener = try await ChildProcess.start(
                BuiltProgram.command.path(),
                ["metrics", "--listen", "127.0.0.1:0", "--socket", host.socket]
            )
            let line = try await listener.errorLine("the address") { $0.contains("serving http://") }
            let url = try #require(line.firstMatch(of: /http:\/\/\S+/).map { String($0.0) })
            let served = try await Self.fetch(url)
            #expect(served.contains("bgtask_build_info{version="), "\(served)")
            try await host.stop()
            let unavailable = try await Self.fetch(url)
            #expect(unavailable.hasPrefix("503 ") && unavailable.contains("no host answers"), "\(unavailable)")
            listener.signal(SIGINT)
            #expect(try await listener.ending() == .exited(0))
            try await host.start()
        }
    }

    /// The status and the body of the answer at a URL.
    private static func fetch(_ url: String) async throws -> String {
        let script = """
            import sys, urllib.request, urllib.error
            try:
                answer = urllib.request.urlopen(sys.argv[1])
            except urllib.error.HTTPError as error:
                answer = error
            print(answer.status, answer.read().decode())
            """
        return try await ProgramRun.of(python, ["-c", script, url]).output
    }

    /// The values of the series by name with labels.
    private static func values(_ host: HostFixture) async throws -> [String: Double] {
        let run = try await host.bgtask("metrics")
        #expect(run.status == 0, "\(run.error)")
        let pairs = run.output.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            line.lastIndex(of: " ").map { (String(line[..<$0]), Double(line[line.index(after: $0)...]) ?? .nan) }
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }
}
