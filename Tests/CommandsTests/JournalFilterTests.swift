// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import TaskModel
import Testing

@Suite("bgtask journal has an option for every filter")
struct JournalFilterTests {
    private let filters = [
        "--plugin", "a.b", "--launch", "41", "--identifier", "a.b.c", "--outcome", "crashed", "--blame", "plugin",
        "--since", "2h",
    ]
    private let query =
        "plugin=a.b&launch=41&identifier=a.b.c&event=crashed&blame=plugin&since=2026-01-30T23%3A48%3A00.000000000Z"

    @Test func `bgtask journal sends every filter option, for recorded and for followed entries`() async throws {
        let page = String(decoding: try WireCoding.encode(JournalReply(entries: [], last: 5)), as: UTF8.self)
        try await StubHost.with({ $0.path.contains("follow") ? .stream([], .inOrder) : .body(status: 200, page) }) {
            host in
            let call = ["journal", "--limit", "3", "--socket", host.socket] + filters
            #expect(await Terminal().run(list: call) == .refused)
            #expect(await Terminal().run(list: call + ["--follow"]) == .unreachable)
            #expect(
                host.requests.map(\.path) == [
                    "/v1/journal?limit=3&\(query)", "/v1/journal?limit=3&\(query)",
                    "/v1/journal?after=5&follow=true&\(query)",
                ]
            )
        }
    }

    @Test(arguments: [
        ("--event", "crashd", "write \"crashed\""), ("--blame", "vendor", "nobody, plugin, host, user, machine"),
        ("--since", "2", "before now"), ("--plugin", "feed", "has no dot"), ("--launch", "x", "whole number"),
    ])
    func `an invalid value of a bgtask journal option is refused with the rule that it breaks`(
        option: String,
        value: String,
        rule: String
    )
        async
    {
        let terminal = Terminal()
        #expect(await terminal.run("journal", option, value) == .misuse)
        #expect(terminal.error.contains(rule), "\(terminal.error)")
    }
}
