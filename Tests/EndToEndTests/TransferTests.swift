// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("Transfers go on without their plugin, which is launched once for the end of their session")
struct TransferTests {
    static func plugin(_ server: FileServer, paths: String, upload: String? = nil) -> TestPlugin {
        var plugin = TestPlugin("BeginsTransfers", tasks: [])
        plugin.modes = []
        plugin.grants = "network: true"
        plugin.settings = ["server": server.url, "paths": paths]
        plugin.settings["upload"] = upload
        plugin.policy = ["private-addresses: true"]
        return plugin
    }

    static func session(_ host: HostFixture, _ plugin: TestPlugin) async throws -> JournalLine {
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
            #expect(session.event == "succeeded")
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
            #expect(session.event == "succeeded")
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

    @Test func `an operator lists, pauses and resumes a running transfer, and its file arrives whole`() async throws {
        let contents = String(repeating: "1", count: 1_000)
        let server = try FileServer(["one?key=secret": contents], holding: "one?key=secret")
        defer { server.close() }
        let plugin = Self.plugin(server, paths: "one?key=secret")
        try await HostFixture.with(plugins: [plugin]) { host in
            let number = try await Self.number(ofRunning: "one?key=secret", from: server, host)
            let listed = try await host.bgtask("transfer", "list", "--plugin", plugin.identifier, "--state", "running")
            #expect(listed.status == 0 && listed.output.contains("\(server.url)/one\n"), "\(listed.output)")
            #expect(!listed.output.contains("secret"))

            let paused = try await host.bgtask("transfer", "pause", number)
            #expect(paused.status == 0 && paused.output.contains("is paused until it is resumed"), "\(paused.error)")
            let shown = try await host.bgtask("transfer", "show", number)
            #expect(shown.status == 0 && shown.output.contains("paused"), "\(shown.output)")
            let running = try await host.bgtask("transfer", "list", "--state", "running")
            #expect(running.status == 1 && running.error.contains("no transfer found"))
            #expect(try await host.client.transfers(limit: 10, states: [.paused]).transfers.count == 1)

            let resumed = try await host.bgtask("transfer", "resume", number)
            #expect(resumed.status == 0 && resumed.output.contains("is resumed"), "\(resumed.error)")
            #expect(try await Self.session(host, plugin).event == "succeeded")
            #expect(host.containerText(plugin, "taken-0") == contents)
        }
    }

    @Test func `an operator cancels a running transfer, which its plugin receives as cancelled`() async throws {
        let server = try FileServer(["one": String(repeating: "1", count: 1_000)], holding: "one")
        defer { server.close() }
        let plugin = Self.plugin(server, paths: "one")
        try await HostFixture.with(plugins: [plugin]) { host in
            let number = try await Self.number(ofRunning: "one", from: server, host)
            let cancelled = try await host.bgtask("transfer", "cancel", number)
            #expect(cancelled.status == 0 && cancelled.output.contains("is cancelled"), "\(cancelled.error)")
            #expect(try await Self.session(host, plugin).event == "succeeded")
            #expect(host.containerText(plugin, "states.txt").hasPrefix("one 6 "))
            let unknown = try await host.bgtask("transfer", "pause", "4711")
            #expect(unknown.status == 1 && unknown.error.contains("the ledger has no transfer 4711"))
        }
    }

    @Test func `a continued task shows the bytes of a running transfer as its progress, and ends with the transfer`()
        async throws
    {
        let contents = String(repeating: "1", count: 1_000_000)
        let server = try FileServer(["one": contents], holding: "one")
        defer { server.close() }
        var plugin = TestPlugin("ShowsTransfer", tasks: ["export.*"])
        plugin.grants = "network: true"
        plugin.settings = ["url": "\(server.url)/one"]
        plugin.policy = ["private-addresses: true"]
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submitContinued("com.example.showstransfer.export.1")
            let number = try await Self.number(ofRunning: "one", from: server, host)
            // The server has sent half of the file.
            try await withDeadline(waitingFor: "the task to show half of the file") {
                while try await !host.client.tasks().running.contains(where: { task in
                    task.kind == "continued" && task.progress == .init(done: 500_000, total: 1_000_000)
                }) {
                    try Task.checkCancellation()
                }
            }
            let listed = try await host.bgtask("task", "list")
            #expect(listed.output.contains("500000 of 1000000"), "\(listed.output)")
            // The server sends the whole file after the disconnection.
            for verb in ["pause", "resume"] { #expect(try await host.bgtask("transfer", verb, number).status == 0) }
            #expect(try await host.outcome(of: submission).event == "succeeded")
            #expect(host.containerText(plugin, "statuses.txt") == "begin BGT_OK\nunknown BGT_NOT_FOUND\nshow BGT_OK\n")
        }
    }

    /// The number of the only transfer, once the server holds its request.
    static func number(ofRunning path: String, from server: FileServer, _ host: HostFixture) async throws -> String {
        _ = try #require(await server.requests.first { $0 == "GET /\(path) HTTP/1.1" })
        let transfers = try await host.client.transfers(limit: 10).transfers
        #expect(transfers.map(\.state) == ["running"])
        return "\(try #require(transfers.first).transfer)"
    }
}
