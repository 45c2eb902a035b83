// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import ControlAPI
import TaskModel
import Testing

@Suite("A command's exit status distinguishes success, refusal, misuse and an unreachable host")
struct ExitStatusTests {
    @Test(arguments: [
        ["frobnicate"], ["task", "frobnicate"], ["why"], ["why", "nodot"], ["launch", "show", "zero"],
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

    @Test func `the help of each listed bgtask command has an example`() async {
        let commands = [
            "", "plugin", "plugin list", "plugin show", "plugin check", "plugin inspect", "plugin pack",
            "plugin install", "plugin remove", "task", "task submit", "task cancel", "task list", "why", "run",
            "trigger", "launch",
            "launch list", "launch show", "journal", "simulate", "simulate expiration",
            "simulate conditions",
            "host", "host run", "host status", "trust", "trust add", "trust list", "trust remove",
        ]
        for command in commands {
            let terminal = Terminal()
            _ = await terminal.run(list: command.split(separator: " ").map(String.init) + ["--help"])
            #expect(terminal.output.contains("Example") && terminal.output.contains("bgtask \(command)"), "\(command)")
        }
    }

    @Test
    func `bgtask with an unreachable host exits with 3 and prints the socket's path and a command to start a host`()
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

@Suite("Commands send their options and print the reply")
struct CommandTests {
    private func json(_ body: some Encodable) throws -> String {
        String(decoding: try WireCoding.encode(body), as: UTF8.self)
    }

    @Test func `bgtask host status --json prints the JSON of the API with sorted keys on standard output`() async throws
    {
        let answer = try json(Samples.host())
        try await StubHost.with({ _ in .body(status: 200, answer) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("host", "status", "--json", "--socket", host.socket) == .done)
            let wanted = String(decoding: try WireCoding.encodeReadably(Samples.host()), as: UTF8.self)
            #expect(terminal.output == wanted + "\n")
            #expect(terminal.error.isEmpty)
        }
    }

    @Test func `bgtask task submit sends every option of a processing request`() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let answer = try json(
            TaskSubmissionReply(
                SubmissionNumber(rawValue: 12),
                plugin: try Samples.plugin(),
                identifier: try Samples.task(),
                replacing: SubmissionNumber(rawValue: 9)
            )
        )
        let wanted = TaskRequest(
            identifier: try Samples.task(),
            kind: .processing,
            earliestBegin: Samples.now + .seconds(720),
            requiresNetwork: true,
            requiresExternalPower: true
        )
        try await StubHost.with({ _ in .body(status: 201, answer) }) { host in
            let terminal = Terminal()
            let status = await terminal.run(
                "task",
                "submit",
                "com.example.feed.refresh",
                "--kind",
                "processing",
                "--not-before",
                "02:00",
                "--needs-network",
                "--needs-external-power",
                "--payload",
                "/proc/sys/kernel/ostype",
                "--socket",
                host.socket
            )
            #expect(status == .done)
            let body = try json(TaskSubmission(wanted, payload: Array("Linux\n".utf8)))
            #expect(host.requests.map(\.body) == [body])
            #expect(
                terminal.output
                    == "submission 12 of com.example.feed.refresh is pending for com.example.feed, replacing submission 9\n"
            )
        }
    }

    @Test
    func `bgtask task submit --payload - reads standard input, and refuses more than the maximum size`() async throws {
        let answer = try json(
            TaskSubmissionReply(
                SubmissionNumber(rawValue: 12),
                plugin: try Samples.plugin(),
                identifier: try Samples.task(),
                replacing: nil
            )
        )
        try await StubHost.with({ _ in .body(status: 201, answer) }) { host in
            let submit = ["task", "submit", "a.b", "--kind", "refresh", "--payload", "-", "--socket", host.socket]
            #expect(await Terminal(input: "hello").run(list: submit) == .done)
            let endless = Terminal(input: String(repeating: "x", count: TaskRequest.maximumPayload + 1))
            #expect(await endless.run(list: submit) == .misuse)
            let request = TaskRequest(identifier: try Samples.task("a.b"), kind: .refresh)
            #expect(host.requests.map(\.body) == [try json(TaskSubmission(request, payload: Array("hello".utf8)))])
        }
        let help = Terminal()
        _ = await help.run("task", "submit", "--help")
        #expect(help.output.contains("[--payload <FILE|->]"))
    }

    @Test func `bgtask task cancel reports that no request is pending, and exits with 0`() async throws {
        try await StubHost.with({ _ in .body(status: 200, #"{"cancelled":false}"#) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("task", "cancel", "a.b", "--socket", host.socket) == .done)
            #expect(terminal.output.contains("no request with that identifier was pending"))
        }
    }
}

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
            #expect(await Terminal().run(list: call) == .done)
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

@Suite("bgtask journal --follow ends on Ctrl-C or with its host")
struct FollowTests {
    /// The behaviour of a host whose journal has entry 5, and sends entries 6 and 7 while it is followed.
    private func behaviour(ending: StubHost.Ending) throws -> StubHost.Behaviour {
        let page = String(
            decoding: try WireCoding.encode(JournalReply(entries: [try Samples.journalLine(5)], last: 5)),
            as: UTF8.self
        )
        let lines = try [6, 7].map {
            String(decoding: try WireCoding.encode(try Samples.journalLine($0, message: "entry \($0)")), as: UTF8.self)
                + "\n"
        }
        return { $0.path.contains("follow") ? .stream(lines, ending) : .body(status: 200, page) }
    }

    @Test func `Ctrl-C ends bgtask journal --follow with status 0`() async throws {
        try await StubHost.with(try behaviour(ending: .never)) { host in
            let terminal = Terminal()
            let status = await terminal.run(
                "journal",
                "--follow",
                "--limit",
                "1",
                "--socket",
                host.socket,
                interruptedBy: "entry 7"
            )
            #expect(status == .done)
            #expect(terminal.error.isEmpty)
            #expect(host.requests.map(\.path) == ["/v1/journal?limit=1", "/v1/journal?after=5&follow=true"])
            #expect(
                terminal.output == """
                    TIME      EVENT      LAUNCH  SUBJECT                   BLAME  MESSAGE
                    01:48:00  succeeded  41      com.example.feed.refresh  -      pruned 12 rows
                    01:48:00  succeeded  41      com.example.feed.refresh  -      entry 6
                    01:48:00  succeeded  41      com.example.feed.refresh  -      entry 7

                    """
            )
        }
    }

    @Test func `bgtask journal --follow --json prints one entry per line`() async throws {
        try await StubHost.with(try behaviour(ending: .never)) { host in
            let terminal = Terminal()
            let status = await terminal.run(
                "journal",
                "--follow",
                "--json",
                "--socket",
                host.socket,
                interruptedBy: "entry 7"
            )
            #expect(status == .done)
            let numbers = try terminal.output.split(separator: "\n").map {
                try WireCoding.decode(JournalLine.self, from: .init($0.utf8)).number
            }
            #expect(numbers == [5, 6, 7])
        }
    }

    @Test func `bgtask journal --follow exits with 3 and advice when the host stops`() async throws {
        try await StubHost.with(try behaviour(ending: .inOrder)) { host in
            let terminal = Terminal()
            #expect(await terminal.run("journal", "--follow", "--socket", host.socket) == .unreachable)
            #expect(terminal.output.contains("entry 7"))
            #expect(
                terminal.error == """
                    bgtask: the host at \(host.socket) is stopping and has closed the journal
                    bgtask: follow the journal again; if that fails, check the host with: bgtask host status --socket \
                    \(host.socket)

                    """
            )
        }
    }

    @Test func `bgtask journal --follow reports a connection that breaks off as lost`() async throws {
        try await StubHost.with(try behaviour(ending: .brokenOff)) { host in
            let terminal = Terminal()
            #expect(await terminal.run("journal", "--follow", "--socket", host.socket) == .unreachable)
            #expect(terminal.error.hasPrefix("bgtask: the connection to the host at \(host.socket) is lost\n"))
            #expect(terminal.error.split(separator: "\n").count == 2)
        }
    }

    @Test func `bgtask journal --follow reports a connection that is closed before the first entry as lost`()
        async throws
    {
        let page = try behaviour(ending: .inOrder)
        try await StubHost.with({ $0.path.contains("follow") ? .hangUp : page($0) }) { host in
            let terminal = Terminal()
            #expect(await terminal.run("journal", "--follow", "--socket", host.socket) == .unreachable)
            #expect(terminal.error.hasPrefix("bgtask: the connection to the host at \(host.socket) is lost\n"))
        }
    }

    @Test func `bgtask journal --follow ends without an error when standard output is closed`() async throws {
        try await StubHost.with(try behaviour(ending: .never)) { host in
            let terminal = Terminal(closesAfter: 2)
            #expect(await terminal.run("journal", "--follow", "--socket", host.socket) == .done)
            #expect(terminal.output.contains("entry 6") && !terminal.output.contains("entry 7"))
        }
    }
}
