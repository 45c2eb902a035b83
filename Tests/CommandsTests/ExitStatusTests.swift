// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import Foundation
import TaskModel
import Testing

@Suite("A command's exit status distinguishes success, refusal, misuse and an unreachable host")
struct ExitStatusTests {
    @Test(arguments: [
        ["frobnicate"], ["task", "frobnicate"], ["why"], ["why", "no..dot"], ["launch", "show", "zero"],
        ["launch", "show", "0"], ["host", "status", "--user", "--system"], ["journal", "--limit", "0"],
        ["host", "status", "--socket", "/a", "--system"], ["host", "status", "--socket", ""],
        ["run"], ["launch", "list", "--limit", "10001"], ["task", "submit", "a.b", "--kind", "event"],
        ["task", "submit", "a.b", "--kind", "refresh", "--not-before", "soon"], ["plugin", "show", "a..b"],
        ["task", "submit", "a.b", "--kind", "refresh", "--payload", "/nowhere/file"],
        ["task", "submit", "a.b", "--kind", "refresh", "--payload", "/tmp"],
        ["task", "submit", "a.b", "--kind", "refresh", "--payload", "/dev/zero"],
        ["trigger"], ["trigger", "nodot"], ["trigger", "a.b", "--payload", "/nowhere/file"],
        ["trigger", "a.b", "--payload", "/dev/zero"],
        ["plugin", "check"], ["plugin", "check", "a.txt"], ["plugin", "check", "a.yaml", "--list"],
        ["plugin", "check", "a.yaml", "--exclude", "elf"], ["plugin", "check", "a.yaml", "--include", "nothing-such"],
        ["plugin", "new"], ["plugin", "new", "com.example.a"], ["plugin", "new", "nodot", "--language", "c"],
        ["plugin", "new", "com.example.a", "--language", "cobol"],
        ["plugin", "new", "com.example.a", "--language", "c", "--role", "helper"],
        ["plugin", "new", "com.example.a", "--language", "c", "--kind", "continued"],
        ["plugin", "new", "com.example.a", "--language", "c", "--main", "com.example.b"],
        ["plugin", "new", "com.a", "--language", "c", "--role", "extension"],
        ["plugin", "inspect"], ["plugin", "install", ".a.yaml"], ["plugin", "remove", "a..b"],
        ["journal", "--blame", "vendor"], ["journal", "--event", "crash"], ["journal", "--since", "soon"],
        ["journal", "--plugin", "feed"], ["journal", "--launch", "0"], ["journal", "--identifier", "started"],
    ])
    func `misuse of bgtask exits with 2 and a message on standard error, without a call to a host`(arguments: [String])
        async
    {
        let terminal = Terminal()
        #expect(await terminal.run(list: arguments) == .misuse)
        #expect(terminal.output.isEmpty)
        #expect(!terminal.error.isEmpty)
    }

    @Test(arguments: [
        (["tsak", "list", "--socket", "/x"], "\"tsak\" is not a command of bgtask; write \"task\""),
        (["task", "lst"], "\"lst\" is not a command of bgtask task; write \"list\""),
        (["host", "stats", "--json"], "\"stats\" is not a command of bgtask host; write \"status\""),
    ])
    func `a mistyped command of bgtask is reported with the nearest command`(arguments: [String], message: String) async
    {
        let terminal = Terminal()
        #expect(await terminal.run(list: arguments) == .misuse)
        #expect(terminal.error.contains(message), "\(terminal.error)")
    }

    @Test func `bgtask task submit without --kind is refused with the kinds to choose from`() async {
        let terminal = Terminal()
        #expect(await terminal.run("task", "submit", "a.b") == .misuse)
        #expect(terminal.error.contains("--kind refresh") && terminal.error.contains("--kind processing"))
    }

    @Test(arguments: [
        ["--help"], ["--version"], ["help"], ["help", "task", "submit"], ["why", "--help"], [],
        ["host", "run", "--help"],
    ])
    func `bgtask help and version are printed on standard output with exit status 0`(arguments: [String]) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: arguments) == .done)
        #expect(!terminal.output.isEmpty)
        #expect(terminal.error.isEmpty)
    }

    @Test func `the help of each bgtask command in the list of this test has an example`() async {
        let commands = [
            "", "plugin", "plugin list", "plugin show", "plugin check", "plugin inspect", "plugin pack",
            "plugin install", "plugin remove", "task", "task submit", "task cancel", "task list", "why", "run",
            "trigger", "launch",
            "launch list", "launch show", "journal", "logs", "simulate", "simulate expiration",
            "simulate conditions", "simulate forecast",
            "host", "host run", "host status", "trust", "trust add", "trust list", "trust remove",
        ]
        for command in commands {
            let terminal = Terminal()
            _ = await terminal.run(list: command.split(separator: " ").map(String.init) + ["--help"])
            #expect(terminal.output.contains("Example") && terminal.output.contains("bgtask \(command)"), "\(command)")
        }
    }

    @Test
    func `bgtask exits with 3 for an unreachable host, and prints both sockets' paths and a command to start a host`()
        async
    {
        let terminal = Terminal()
        #expect(await terminal.run("task", "list") == .unreachable)
        #expect(terminal.output.isEmpty)
        #expect(terminal.error.contains("/run/bgtask/control.sock"))
        #expect(terminal.error.contains("/nowhere/.local/state/bgtask/control.sock"))
        #expect(terminal.error.contains("bgtask host run"))
    }

    @Test func `a refusal by the host makes bgtask exit with 1 and print code, sub-reason and remedy`() async throws {
        let refusal = RouteError.noSuchPlugin("com.example.feed\u{1b}[2J")
        let answer = String(decoding: try WireCoding.encode(refusal.reply), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: refusal.status, answer) }) { host in
            let terminal = Terminal()
            let status = await terminal.run("plugin", "show", "com.example.feed", "--socket", host.socket)
            #expect(status == .refused)
            #expect(terminal.output.isEmpty)
            #expect(
                terminal.error == """
                    bgtask: not-found (no-such-plugin): no plugin com.example.feed\\u{1B}[2J is installed
                    bgtask: remedy: list the installed plugins and the refused manifests with "bgtask plugin list"

                    """
            )
        }
    }

    @Test(arguments: [
        (["task", "lsit", "--json"], Commands.ExitStatus.misuse, "misuse", "write \\\"list\\\""),
        (["task", "list", "--limit", "0", "-o", "json"], .misuse, "misuse", "--limit 0"),
        (["host", "status", "--socket", "/nowhere/s", "--json"], .unreachable, "unreachable", "/nowhere/s"),
        (["schedule", "check", "soon", "--json"], .misuse, "misuse", "soon"),
        (["--json", "-H", "-x", "stats"], .misuse, "misuse", "dash"),
    ])
    func `with --json an error of bgtask has a code, a message and its text, whatever the exit status`(
        arguments: [String],
        status: Commands.ExitStatus,
        code: String,
        part: String
    ) async throws {
        let terminal = Terminal()
        #expect(await terminal.run(list: arguments) == status)
        let reply = try WireCoding.decode(ErrorReply.self, from: Data(terminal.output.utf8))
        #expect(reply.error.code == code && terminal.output.contains(part), "\(terminal.output)")
        #expect(!terminal.error.isEmpty)
    }

    @Test(arguments: [
        ["task", "list", "-o", "jsonl", "--sort", "x"], ["task", "list", "--output=jsonl", "--limit", "0"],
        ["journal", "--follow", "--json", "--socket", "/nowhere/socket"],
        ["-o", "jsonl", "task", "list"],
    ])
    func `an error has one line of JSON where every answer has one`(arguments: [String]) async throws {
        let terminal = Terminal()
        _ = await terminal.run(list: arguments)
        #expect(terminal.output.count { $0 == "\n" } == 1 && terminal.output.hasSuffix("}}\n"), "\(terminal.output)")
        _ = try WireCoding.decode(ErrorReply.self, from: Data(terminal.output.utf8))
    }

    @Test func `a failure after an answer prints no second JSON text`() async throws {
        let answer = String(decoding: try WireCoding.encode(LaunchListReply(launches: [])), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("launch", "list", "--json", "--socket", host.socket) == .refused)
            _ = try WireCoding.decode(LaunchListReply.self, from: Data(terminal.output.utf8))
        }
    }

    @Test func `a server that is not a bgtask host at the socket makes bgtask exit with 3`() async throws {
        try await StubHost.with({ _ in .body(status: 200, "hello") }) { host in
            #expect(await Terminal().run("host", "status", "--socket", host.socket) == .unreachable)
        }
    }

    @Test func `bgtask exits with 0 when the reader of its standard output is gone`() async throws {
        let answer = String(decoding: try WireCoding.encode(Samples.host()), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal(closesAfter: 0)
            #expect(await terminal.run("host", "status", "--socket", host.socket) == .done)
            #expect(terminal.error.isEmpty)
        }
        #expect(await Terminal(closesAfter: 0).run("--help") == .done)
    }
}
