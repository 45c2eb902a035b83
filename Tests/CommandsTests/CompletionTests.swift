// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Testing

@testable import Commands

@Suite("Shells complete the identifiers of a host")
struct CompletionTests {
    private func with(_ body: (StubHost) async throws -> Void) async throws {
        let plugins = String(decoding: try WireCoding.encode(try Samples.pluginList()), as: UTF8.self)
        let tasks = String(decoding: try WireCoding.encode(try Samples.taskList()), as: UTF8.self)
        let launches = String(
            decoding: try WireCoding.encode(LaunchListReply(launches: [try Samples.launch()])),
            as: UTF8.self
        )
        try await StubHost.with({ request in
            let answers = [("/v1/plugins", plugins), ("/v1/tasks", tasks), ("/v1/launches", launches)]
            return .body(status: 200, answers.first { request.path.hasPrefix($0.0) }?.1 ?? "")
        }) { try await body($0) }
    }

    /// Calls the command as a completion script does for the empty word at the end of a command line.
    private func complete(
        _ words: [String],
        _ argument: String,
        _ options: [String] = [],
        word: String = ""
    ) async -> Terminal {
        let terminal = Terminal()
        let line = words + options + [word]
        let call = ["---completion"] + words + ["--", argument, "\(line.count - 1)", "0"] + line
        #expect(await terminal.run(list: call) == .done)
        return terminal
    }

    @Test(arguments: [
        (["plugin", "show"], "positional@0", "com.example.feed"), (["launch", "show"], "positional@0", "41"),
        (["task", "cancel"], "positional@0", "com.example.feed.refresh"),
        (["task", "list"], "--plugin", "com.example.feed"), (["journal"], "--launch", "41"),
    ])
    func `a completion prints the names of the host that the command line chooses`(
        words: [String],
        argument: String,
        name: String
    ) async throws {
        try await with { host in
            let terminal = await complete(words, argument, ["--socket", host.socket])
            #expect(terminal.output.split(separator: "\n").contains { $0 == name }, "\(terminal.output)")
            #expect(terminal.error.isEmpty)
        }
    }

    @Test(arguments: [
        (["task", "list"], "--reason", "", "retry-delay"), (["task", "list"], "--sort", "", "earliest"),
        (["launch", "list"], "--sort", "", "used"), (["plugin", "list"], "--sort", "", "state"),
        (["schedule", "list"], "--sort", "", "last-run"), (["journal"], "--sort", "", "number"),
        (["schedule", "check", "02:30"], "--zone", "", "Europe/Berlin"),
        (["task", "list"], "--kind", "refresh,", "refresh,processing"),
        (["journal"], "--event", "crashed,ex", "crashed,exited"),
    ])
    func `a completion prints the values of an option without a call to a host`(
        words: [String],
        argument: String,
        word: String,
        value: String
    ) async throws {
        try await with { host in
            let command = words.filter { $0 != "02:30" }
            let terminal = await complete(command, argument, ["--socket", host.socket], word: word)
            #expect(terminal.output.split(separator: "\n").contains { $0 == value }, "\(terminal.output)")
            #expect(host.requests.isEmpty)
        }
    }

    @Test func `a value after a comma is completed with the values before it, and none twice`() async throws {
        try await with { host in
            let options = ["--socket", host.socket, "--plugin"]
            let several = await complete(["task", "list"], "--plugin", options, word: "a.b,")
            #expect(several.output.split(separator: "\n").contains("a.b,com.example.feed"), "\(several.output)")
        }
        #expect(ValueList.completions(of: "refresh,", among: ["refresh", "event"]) == ["refresh,event"])
        #expect(ValueList.completions(of: "re", among: ["refresh", "event"]) == ["refresh", "event"])
    }

    @Test func `a completion script accepts options before the command`() async {
        let terminal = Terminal()
        #expect(await terminal.run("--generate-completion-script", "bash") == .done)
        let lines = terminal.output.split(separator: "\n").map { $0.trimmingPrefix(while: \.isWhitespace) }
        // The first list of flags and of options is that of the root command.
        let flags = lines.first { $0.contains("local -a non_repeating_flags=(") }
        let options = lines.first { $0.contains(" non_repeating_options=(") }
        #expect(flags?.contains("--json --system --user") == true, "\(flags ?? "")")
        #expect(options?.contains("--socket") == true, "\(options ?? "")")
    }

    @Test func `a completion without a host, or for another machine, prints nothing`() async throws {
        let gone = await complete(["plugin", "show"], "positional@0", ["--socket", "/nowhere/socket"])
        #expect(gone.output.allSatisfy(\.isNewline) && gone.error.isEmpty)
        try await with { host in
            let options = ["-H", "web-1", "--socket", host.socket]
            let remote = await complete(["plugin", "show"], "positional@0", options)
            #expect(remote.output.allSatisfy(\.isNewline) && host.requests.isEmpty)
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `the completion script of a shell has the values of options`(shell: String) async {
        let terminal = Terminal()
        #expect(await terminal.run("--generate-completion-script", shell) == .done)
        for word in ["health-research", "jsonl", "---completion"] {
            #expect(terminal.output.contains(word), "\(word)")
        }
    }
}
