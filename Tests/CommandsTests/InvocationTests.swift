// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import Testing

@Suite("Options before the command of bgtask have the meaning that they have behind it")
struct InvocationTests {
    @Test(arguments: [
        (["--json", "task", "list"], ["task", "list", "--json"]),
        (
            ["--socket", "/a", "task", "list", "--kind", "refresh"],
            ["task", "list", "--socket", "/a", "--kind", "refresh"]
        ),
        (["--socket=/a", "--json", "why", "a.b"], ["why", "--socket=/a", "--json", "a.b"]),
        (["--user", "host", "run", "--socket", "/a"], ["host", "run", "--user", "--socket", "/a"]),
        (["task", "list", "--socket", "/a"], ["task", "list", "--socket", "/a"]),
        (["--json", "task", "lsit", "a.b"], ["task", "lsit", "a.b", "--json"]), (["--socket"], ["--socket"]),
        (["--help"], ["--help"]), ([], []),
    ])
    func `options before the command are moved behind its words`(arguments: [String], command: [String]) throws {
        let invocation = try Invocation(arguments)
        #expect(invocation.command == command)
        #expect(invocation.hosts.isEmpty)
    }

    @Test(arguments: [
        (["-o", "json", "task", "list", "--kind", "push"], "write it behind: bgtask task list -o json"),
        (["--output=name", "plugin", "list"], "write it behind: bgtask plugin list --output=name"),
        (["--json", "-o", "wide", "launch", "list"], "write it behind: bgtask launch list -o wide"),
        (["-o"], "write it behind: bgtask task list -o"),
    ])
    func `-o before the command is misuse, with the command to write`(arguments: [String], hint: String) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: arguments) == .misuse)
        #expect(terminal.error.contains(hint), "\(terminal.error)")
    }

    @Test(arguments: [
        ["-H", "web-1,web-2", "task", "list"], ["-Hweb-1", "-H", "web-2,web-1", "task", "list"],
    ])
    func `each machine of -H is taken once and in order`(arguments: [String]) throws {
        let invocation = try Invocation(arguments)
        #expect(invocation.hosts.map(\.name) == ["web-1", "web-2"])
        #expect(invocation.command == ["task", "list"])
    }

    @Test(arguments: ["op@web-1", "ssh://op@web-1:2222", "192.0.2.1", "op@[2001:db8::1%eth0]"])
    func `-H accepts the forms of names that ssh has`(name: String) throws {
        #expect(try Invocation(["-H", name, "stats"]).hosts.map(\.name) == [name])
    }

    @Test(arguments: [
        ["-H"], ["-H", "web-1"], ["-H", "", "stats"], ["-H", "a,,b", "stats"], ["-H", "-oProxyCommand=id", "stats"],
        ["-H", "a,-b", "stats"], ["-H", "a b", "stats"], ["-H", "$(id)", "stats"], ["-H", "a;id", "stats"],
        ["-H", "a\nb", "stats"], ["-H", "a", "--json"], ["stats", "-H", "a"],
    ])
    func `an invalid -H is misuse, with a remedy on standard error`(arguments: [String]) async {
        let terminal = Terminal()
        #expect(await terminal.run(list: arguments) == .misuse)
        // With --json the output is the error as JSON.
        #expect(terminal.output.isEmpty != arguments.contains("--json"))
        #expect(terminal.error.contains("write") || terminal.error.contains("-H"), "\(terminal.error)")
    }

    @Test func `BGTASK_SOCKET chooses the host of commands without an option that chooses one`() async throws {
        let answer = String(decoding: try WireCoding.encode(Samples.host()), as: UTF8.self)
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal(environment: ["BGTASK_SOCKET": host.socket])
            #expect(await terminal.run("host", "status") == .done)
            #expect(await terminal.run("--json", "host", "status") == .done)
            #expect(host.requests.count == 2)
            #expect(await terminal.run("host", "status", "--system") == .unreachable)
            #expect(host.requests.count == 2)
        }
        let gone = Terminal(environment: ["BGTASK_SOCKET": "/nowhere/socket"])
        #expect(await gone.run("host", "status") == .unreachable)
        #expect(gone.error.contains("/nowhere/socket") && gone.error.contains("variable BGTASK_SOCKET"))
        let empty = Terminal(environment: ["BGTASK_SOCKET": ""])
        #expect(await empty.run("host", "status") == .unreachable)
        #expect(empty.error.contains("/run/bgtask/control.sock"))
    }
}
