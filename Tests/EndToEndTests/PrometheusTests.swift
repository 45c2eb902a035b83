// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("Debian's Prometheus reads the metrics of a host", .timeLimit(.minutes(30)))
struct PrometheusTests {
    /// The programs of Debian's package, which `make test` extracts into the build directory.
    private enum Program: String {
        case server = "prometheus"
        case tool = "promtool"

        var path: String? { PreparedFile.path("prometheus/usr/bin/\(rawValue)") }
    }

    private static var hasPrograms: Bool { Program.server.path != nil && Program.tool.path != nil }

    private static var rules: String {
        URL(filePath: #filePath).appending(path: "../../../Packaging/prometheus/bgtask.rules.yaml").standardized.path
    }

    @Test(.enabled(if: hasPrograms, "takes make prometheus"))
    func `promtool accepts the metrics of a host and the shipped alert rules`() async throws {
        let tool = try #require(Program.tool.path)
        try await HostFixture.with { host in
            try await host.runNeighbour()
            let file = host.directory.file("bgtask.prom")
            let written = try await host.bgtask("metrics", "--textfile", file)
            #expect(written.status == 0, "\(written.error)")
            let checked = try await ProgramRun.of("/bin/sh", ["-c", "\"$0\" check metrics < \"$1\"", tool, file])
            #expect(checked.status == 0 && checked.error.isEmpty && checked.output.isEmpty, "\(checked)")
            var status = stat()
            #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o644)
        }
        let checked = try await ProgramRun.of(tool, ["check", "rules", Self.rules])
        #expect(checked.status == 0, "\(checked.output)\(checked.error)")
    }

    @Test(.enabled(if: hasPrograms, "takes make prometheus"))
    func `a Prometheus server scrapes bgtask metrics --listen and evaluates the shipped alert rules`() async throws {
        let server = try #require(Program.server.path)
        try await HostFixture.with { host in
            try await host.runNeighbour()
            let listen = ["metrics", "--listen", "127.0.0.1:0", "--socket", host.socket]
            let exporter = try await ChildProcess.start(BuiltProgram.command.path(), listen)
            let serving = try await exporter.errorLine("the address") { $0.contains("serving http://") }
            let target = try #require(serving.firstMatch(of: /http:\/\/([^\/]+)\//)).1
            let configuration = """
                global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
                scrape_configs: [{ job_name: bgtask, static_configs: [{ targets: ["\(target)"] }] }]
                rule_files: ["\(Self.rules)"]
                """
            let file = try host.directory.write(configuration.utf8, to: "prometheus.yaml")
            let prometheus = try await ChildProcess.start(
                server,
                [
                    "--config.file=\(file)", "--storage.tsdb.path=\(host.directory.file("prometheus"))",
                    "--web.listen-address=127.0.0.1:0",
                ]
            )
            let ready = try await prometheus.errorLine("the address") { $0.contains("msg=\"Listening on\"") }
            let address = String(try #require(ready.firstMatch(of: /address=(\S+)/)).1)
            try await prometheus.errorLine("the start") { $0.contains("Server is ready to receive web requests") }

            let series = "bgtask_launches_total{job=\"bgtask\", plugin=\"\(TestPlugin.neighbour.identifier)\"}"
            let launches = try await Self.result(of: "sum(\(series))", at: address)
            #expect(try #require(Double(launches)) >= 1)
            #expect(try await Self.result(of: "up{job=\"bgtask\"}", at: address) == "1")
            let problems = try await Self.ruleProblems(at: address)
            #expect(problems == [], "\(problems)")

            for process in [prometheus, exporter] {
                process.signal(SIGINT)
                #expect(try await process.ending() == .exited(0))
            }
        }
    }

    // MARK: The server's interface

    /// The value of an expression, as soon as it has one.
    private static func result(of expression: String, at address: String) async throws -> String {
        try await withDeadline(waitingFor: "a value of \(expression)") {
            while true {
                try Task.checkCancellation()
                let answer = try await get("query", ["query": expression], at: address, Answer<QueryData>.self)
                if let value = answer.data.result.first?.value { return value }
            }
        }
    }

    /// The rules that the server does not evaluate without an error, as soon as it has evaluated all of them.
    private static func ruleProblems(at address: String) async throws -> [String] {
        try await withDeadline(waitingFor: "the evaluation of the rules") {
            while true {
                try Task.checkCancellation()
                let rules = try await get("rules", [:], at: address, Answer<RuleData>.self).data.groups.flatMap(\.rules)
                if rules.isEmpty || rules.contains(where: { $0.health == "unknown" }) { continue }
                return rules.filter { $0.health != "ok" }.map { "\($0.name): \($0.lastError ?? $0.health)" }
            }
        }
    }

    private static func get<Reply: Decodable>(
        _ resource: String,
        _ query: [String: String],
        at address: String,
        _ reply: Reply.Type
    ) async throws -> Reply {
        let script = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"
        var url = try #require(URLComponents(string: "http://\(address)/api/v1/\(resource)"))
        if !query.isEmpty { url.queryItems = query.map { URLQueryItem(name: $0.key, value: $0.value) } }
        let run = try await ProgramRun.of("/usr/bin/python3", ["-c", script, try #require(url.string)])
        #expect(run.status == 0, "\(run.error)")
        return try JSONDecoder().decode(reply, from: Data(run.output.utf8))
    }

    private struct Answer<Contents: Decodable>: Decodable { let data: Contents }

    private struct QueryData: Decodable {
        struct Sample: Decodable {
            let value: String

            init(from decoder: any Decoder) throws {
                var pair = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .value)
                // The time of the sample, which is a number, precedes its value, which is a text.
                _ = try pair.decode(Double.self)
                value = try pair.decode(String.self)
            }

            private enum Key: CodingKey { case value }
        }

        let result: [Sample]
    }

    private struct RuleData: Decodable {
        struct Group: Decodable { let rules: [Rule] }

        struct Rule: Decodable {
            let name: String
            let health: String
            let lastError: String?
        }

        let groups: [Group]
    }
}
