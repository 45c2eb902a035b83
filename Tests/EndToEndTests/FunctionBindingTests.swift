// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("A manifest alone binds functions of an unrelated library to tasks")
struct FunctionBindingTests {
    private static func plain(_ handlers: [String: String], settings: [String: String] = [:]) -> TestPlugin {
        var plugin = TestPlugin("Plain", tasks: handlers.keys.sorted())
        plugin.handlers = handlers
        plugin.settings = settings
        return plugin
    }

    static let greet = """
        symbol: plain_greet, arguments: [container-path, { string: greeting.txt }, { setting: greeting }, payload], \
        returns: { int64: success-when-nonnegative }
        """
    private static let poll = """
        symbol: plain_poll, arguments: [cancel-flag, remaining-ms, { out-string: 64 }, out-int64], \
        returns: { int32: success-when-zero }
        """

    @Test(.proves("C11"))
    func `a bound function runs for a request without a started event, and the journal has its return value`()
        async throws
    {
        let plugin = Self.plain(["greet": Self.greet], settings: ["greeting": "Hello"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submit(plugin.task(), payload: Array("world".utf8))
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded" && end.blame == "nobody")
            #expect(end.message.hasSuffix(": plain_greet returned 13"), "\(end.message)")
            #expect(host.containerText(plugin, "greeting.txt") == "Hello, world\n")
            #expect(try await host.journal().allSatisfy { $0.task != "started" })
            let shown = try await host.show(plugin)
            #expect(
                shown.handlers.map(\.signature)
                    == ["int64_t plain_greet(const char *, const char *, const char *, const void *, size_t)"]
            )
            let printed = try await host.bgtask("plugin", "show", plugin.identifier).output
            #expect(printed.contains("handlers        com.example.plain.greet is int64_t plain_greet("))
        }
    }

    /// A plugin whose function measures a download from the server.
    private static func measuring(_ path: String, of server: FileServer) -> TestPlugin {
        let keys =
            "symbol: plain_size, arguments: [{ download: \"\(server.url)/\(path)\" }],"
            + " returns: { int64: success-when-nonnegative }"
        var plugin = plain(["size": keys])
        plugin.grants = "network: true"
        plugin.policy = ["private-addresses: true"]
        return plugin
    }

    @Test(.proves("C24"))
    func `a bound function receives the path of a file that the host has downloaded`() async throws {
        let server = try FileServer(["list": "three lines"])
        defer { server.close() }
        let plugin = Self.measuring("list", of: server)
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task("size")))
            #expect(end.event == "succeeded" && end.message.hasSuffix(": plain_size returned 11"), "\(end.message)")
            let transfers = try await host.client.transfers(limit: 10).transfers
            #expect(transfers.map(\.state) == ["finished"] && transfers.allSatisfy { $0.file == nil })
        }
    }

    @Test(.proves("C24"))
    func `why names the unfinished download of a function, which gets NULL after the download is cancelled`()
        async throws
    {
        let server = try FileServer(["list": "three lines"], holding: "list")
        defer { server.close() }
        let plugin = Self.measuring("list", of: server)
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submit(plugin.task("size"))
            let number = try await TransferTests.number(ofRunning: "list", from: server, host)
            let why = try await host.bgtask("why", plugin.task("size"))
            let message = "a download that the function takes as an argument has not ended"
            #expect(why.output.replacing(/\s+/, with: " ").contains(message), "\(why.output)")
            #expect(try await host.bgtask("transfer", "cancel", number).status == 0)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "failed" && end.message.contains("plain_size returned -1"), "\(end.message)")
        }
    }

    @Test func `a bound function receives the operator's value of a setting instead of the manifest's`() async throws {
        var plugin = Self.plain(["greet": Self.greet], settings: ["greeting": "Hello"])
        plugin.policy = ["settings: { greeting: Ahoy }"]
        try await HostFixture.with(plugins: [plugin]) { host in
            _ = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(host.containerText(plugin, "greeting.txt") == "Ahoy, \n")
        }
    }

    @Test func `a schedule of the operator runs a bound function`() async throws {
        var plugin = Self.plain(["greet": Self.greet], settings: ["greeting": "Good night"])
        plugin.policy = ["schedules:", "  \(plugin.task()): { every: 1d, requires-external-power: true }"]
        try await ScratchDirectory.with { directory in
            let clock = try await ShiftedClock(in: directory)
            var setup = HostSetup()
            setup.environment = clock.environment
            try await HostFixture.with(setup, plugins: [plugin]) { host in
                #expect(try await host.show(plugin).schedules.map(\.identifier) == [plugin.task()])
                try clock.shift(by: 25 * 3600)
                // The call makes the host read the clock.
                _ = try await host.client.simulateConditions(ConditionsSimulation([.hot: .holds(false)]))
                let end = try await host.waitForJournal("the schedule's task") { [task = plugin.task()] in
                    $0.task == task
                }
                #expect(end.event == "succeeded", "\(end.message)")
                #expect(host.containerText(plugin, "greeting.txt") == "Good night, \n")
            }
        }
    }

    @Test
    func `an expired bound function ends in order by its cancel flag, and its out-string is escaped for terminals`()
        async throws
    {
        let plugin = Self.plain(["poll": Self.poll])
        try await HostFixture.with(plugins: [plugin]) { host in
            let submission = try await host.submit(plugin.task())
            try await host.wait(for: submission, toRun: plugin)
            _ = try await host.bgtask("simulate", "expiration", plugin.task())
            let end = try await host.outcome(of: submission)
            #expect(end.event == "succeeded", "\(end.message)")
            #expect(end.message.contains("; expired: "))
            let left = "plain_poll returned 0; out-string \"stopped\\u{1B}[2J with time given\"; out-int64 "
            #expect(end.message.contains(left), "\(end.message)")
            #expect(!end.message.unicodeScalars.contains("\u{1b}"))
        }
    }

    @Test func `a bound function without a cancel flag is killed after the grace period, and plugin check warns of it`()
        async throws
    {
        var plugin = Self.plain(["stay": "symbol: plain_stay, arguments: [], returns: void"])
        plugin.policy = ["budgets: { processing: 200ms }"]
        try await HostFixture.with(plugins: [plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "expired" && end.blame == "plugin", "\(end.message)")
            #expect(end.message.contains("void plain_stay(void) of \(host.directory.file("plugins/libPlain.so"))"))
            let check = try await ProgramRun.of(
                BuiltProgram.command.path(),
                [
                    "plugin", "check", host.directory.file(plugin.manifestFile), "--plugins",
                    host.directory.file("plugins"),
                ]
            )
            #expect(check.status == 0)
            #expect(check.output.contains("warning: handlers[0]: passes no cancel-flag"))
        }
    }

    @Test func `a wrong signature of a bound function crashes only its runner, and the journal names the signature`()
        async throws
    {
        let plugin = Self.plain([
            "length": "symbol: plain_length, arguments: [{ int32: 5 }], returns: { int32: success-when-nonnegative }"
        ])
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "crashed" && end.blame == "plugin")
            #expect(end.message.contains("SIGSEGV"))
            #expect(
                end.message.contains("int32_t plain_length(int32_t) of \(host.directory.file("plugins/libPlain.so"))")
            )
            try await host.runNeighbour()
        }
    }

    @Test func `bgtask host check reports a machine without the libffi that bound functions need`() async throws {
        let plugin = Self.plain(["greet": Self.greet], settings: ["greeting": "Hello"])
        try await HostFixture.with(plugins: [plugin]) { host in
            let well = try await host.check()
            #expect(well.output.contains("libffi.so.8, which calls bound functions, can be loaded"), "\(well)")
            try host.directory.makeDirectory("broken")
            try host.directory.write("no library".utf8, to: "broken/libffi.so.8")
            let check = try await host.check(with: ["LD_LIBRARY_PATH": host.directory.file("broken")])
            #expect(check.status == 1)
            let problem = "libffi.so.8, which calls the bound functions of \(plugin.identifier), cannot be loaded: "
            #expect(check.output.contains(problem) && check.output.contains("; install libffi8"), "\(check)")
        }
    }

    @Test func `the journal entry of a failed bound function has its return value and errno`() async throws {
        let plugin = Self.plain([
            "fail": "symbol: plain_fail, arguments: [], returns: { int32: success-when-zero }",
            "make": "symbol: plain_make, arguments: [{ int32: 0 }], returns: { pointer: success-when-non-null }",
        ])
        try await HostFixture.with(plugins: [plugin]) { host in
            let failed = try await host.outcome(of: try await host.submit(plugin.task("fail")))
            #expect(failed.event == "failed")
            #expect(
                failed.message.hasSuffix("plain_fail returned -1; errno was 28 (No space left on device)"),
                "\(failed.message)"
            )
            let null = try await host.outcome(of: try await host.submit(plugin.task("make")))
            #expect(null.event == "failed" && null.message.hasSuffix("plain_make returned null"), "\(null.message)")
        }
    }

    @Test func `a plugin with both an entry and bound functions is refused`() async throws {
        var plugin = Self.plain(["task": "symbol: plain_stay, arguments: [], returns: void"])
        plugin.library = .compiled("Neighbour")
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let refused = try await host.client.plugins().refused
            #expect(
                refused.flatMap(\.problems).contains {
                    $0.message.contains("has the bgtask note of a plugin, but the manifest")
                }
            )
            try await host.runNeighbour()
        }
    }
}
