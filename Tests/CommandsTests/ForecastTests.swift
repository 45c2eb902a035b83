// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("bgtask simulate forecast asks for a forecast and prints it")
struct ForecastCommandTests {
    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    }

    @Test func `the options of conditions, policies, plugin, end and limit are the fields of the call`() async throws {
        let answer = String(decoding: try WireCoding.encode(Samples.forecast()), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal()
            let options = [
                "--external-power", "true", "--network", "real", "--locked", "com.example.notes", "--off", "idle,load",
                "--day-budget", "8h", "--plugin", "com.example.feed", "--until", "+2h", "--limit", "5",
            ]
            #expect(await terminal.run(list: ["simulate", "forecast", "--socket", host.socket] + options) == .done)
            #expect(host.requests.map(\.path) == ["/v1/forecast"])
            let body = try JSONValue(parsing: Data(host.requests[0].body.utf8))
            let expected = """
                {"until": "2026-01-31T03:48:00Z", "plugin": "com.example.feed", "limit": 5,
                 "conditions": {"external_power": true, "network": null,
                                "locked_containers": {"com.example.notes": true}},
                 "policies": {"off": ["idle", "load"], "day_budget_ns": 28800000000000}}
                """
            #expect(try body == JSONValue(parsing: Data(expected.utf8)))
        }
    }

    @Test func `a forecast without options has an empty body, and --off none switches every policy on`() async throws {
        let answer = String(decoding: try WireCoding.encode(Samples.forecast()), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let call = ["simulate", "forecast", "--json", "--socket", host.socket]
            #expect(await Terminal().run(list: call) == .done)
            #expect(await Terminal().run(list: call + ["--off", "none"]) == .done)
            #expect(host.requests.map(\.body) == ["{}", #"{"policies":{"off":[]}}"#])
        }
    }

    @Test func `the text of a forecast has launches, waits, what is left out and the assumptions`() throws {
        let text = lines(try Samples.forecast().text(for: Reader(now: Samples.now, timeZone: .gmt)))
        #expect(text.contains { $0.contains("running as 41 - com.example.feed background") }, "\(text)")
        #expect(text.contains { $0.hasSuffix("com.example.feed.refresh (schedule)") }, "\(text)")
        #expect(text.contains("1 later launch is not listed; raise --limit"))
        #expect(
            text.contains("com.example.feed.refresh refresh network: the task needs a network (and 1 more)"),
            "\(text)"
        )
        #expect(text.contains { $0.hasPrefix("incomplete, computed until ") && $0.hasSuffix("some are left out") })
        #expect(text.contains("- only schedules submit work"))
    }

    @Test(arguments: [
        ["--off", "idleness"], ["--stagger", "soon"], ["--until", "later"], ["--limit", "0"],
        ["--locked", "com.example.a", "--real", "com.example.a"],
    ])
    func `an invalid policy, duration, time, limit or container is misuse, and no host is asked`(
        options: [String]
    ) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: ["simulate", "forecast"] + options) == .misuse)
    }
}
