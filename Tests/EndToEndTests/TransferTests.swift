// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("Transfers go on without their plugin, which is launched once for the end of their session")
struct TransferTests {
    private static func plugin(_ server: FileServer, paths: String, upload: String? = nil) -> TestPlugin {
        var plugin = TestPlugin("BeginsTransfers", tasks: [])
        plugin.modes = []
        plugin.grants = "network: true"
        plugin.settings = ["server": server.url, "paths": paths]
        plugin.settings["upload"] = upload
        plugin.policy = ["private-addresses: true"]
        return plugin
    }

    private static func session(_ host: HostFixture, _ plugin: TestPlugin) async throws -> JournalLine {
        let identifier = plugin.identifier
        return try await host.waitForJournal("the event transfers-finished of \(identifier)") { line in
            line.plugin == identifier && line.task == "transfers-finished" && TaskOutcome(rawValue: line.event) != nil
        }
    }

    @Test func `a plugin begins two downloads and ends, and takes both files in one later launch`() async throws {
        let server = try FileServer(["one": "the first file", "two": String(repeating: "2", count: 100_000)])
        defer { server.close() }
        let plugin = Self.plugin(server, paths: "one two")
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await Self.session(host, plugin)
            #expect(end.event == "succeeded")
            #expect(host.containerText(plugin, "events.txt") == "files\n")
            #expect(host.containerText(plugin, "taken-0") == "the first file")
            #expect(host.containerText(plugin, "taken-1").utf8.count == 100_000)
            #expect(host.containerText(plugin, "states.txt") == "one 4 - 200 14\ntwo 4 - 200 100000\n")
        }
    }

    @Test func `a failed download is listed with its code, and an upload sends its file`() async throws {
        let server = try FileServer([:])
        defer { server.close() }
        let plugin = Self.plugin(server, paths: "missing report", upload: "report.txt")
        try await HostFixture.with(plugins: [plugin]) { host in
            let session = try await Self.session(host, plugin)
            #expect(session.event == \"succeeded\")
            let states = host.containerText(plugin, "states.txt").split(separator: "\n")
            #expect(states.count == 2 && states.first == "missing 5 http-status 404 0")
            #expect(states.last?.hasPrefix("report 4 - 201 ") == true)
            #expect(server.requests.elements.contains("PUT /report HTTP/1.1 the report\n"))
        }
    }

    @Test func `without the operator's permission, a download from an address of the machine fails`() async throws {
        let server = try FileServer(["one": "secret"])
        defer { server.close() }
        var plugin = Self.plugin(server, paths: "one")
        plugin.policy = []
        try await HostFixture.with(plugins: [plugin]) { host in
            let session = try await Self.session(host, plugin)
            #expect(session.event == \"succeeded\")
            #expect(host.containerText(plugin, "states.txt") == "one 5 address-not-permitted 0 0\n")
            #expect(server.requests.elements.isEmpty)
        }
    }

    @Test func `a plugin without the grant network cannot begin a transfer`() async throws {
        let server = try FileServer(["one": "secret"])
        defer { server.close() }
        var plugin = Self.plugin(server, paths: "one")
        plugin.grants = ""
        try await HostFixture.with(plugins: [plugin]) { host in
            try await host.started(plugin)
            #expect(host.containerText(plugin, "statuses.txt") == "begin BGT_NOT_PERMITTED\n")
            #expect(host.containerText(plugin, "refusals.txt").hasPrefix("32 "))
        }
    }
}
