// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import Foundation
import Testing

@Suite("bgtask -H runs a command on other machines and prints their output with their names")
struct RemoteCommandTests {
    /// Runs `body` with a terminal whose `ssh` runs the remote command in a shell of this machine.
    ///
    /// - Parameter program: a script in place of the remote `bgtask`. The variable `MACHINE` has the name of the machine.
    ///   The machine `dead` is not reached.
    private func with(_ program: String, _ body: (Terminal) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let ssh = """
            while [ "$1" != -- ]; do [ "$1" = -N ] && forwards=1; shift; done
            [ -n "$forwards" ] && { echo cannot bind >&2; exit 255; }
            [ "$2" = dead ] && { echo no route >&2; exit 255; }
            MACHINE="$2" PATH="\(directory.path):/usr/bin:/bin" exec sh -c "$3"
            """
        for (name, script) in [("ssh", ssh), ("bgtask", program)] {
            let path = "\(directory.path)/\(name)"
            try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: false, encoding: .utf8)
            #expect(chmod(path, 0o755) == 0)
        }
        try await body(Terminal(environment: ["BGTASK_SSH": "\(directory.path)/ssh"]))
    }

    @Test func `the remote bgtask receives every argument unchanged by the remote shell`() async throws {
        let arguments = [
            "it's", "a  b", "", "$HOME `id` $(id)", "\\", "\\'", "\"quoted\"", "!", "*", "~", "#", "=ls", "a;b|c&d>e",
            "-n", "Grüße", "two\nlines",
        ]
        try await with("printf '<%s>' \"$@\"; echo") { terminal in
            #expect(await terminal.run(list: ["-H", "a,b"] + ["try"] + arguments) == .done)
            let received = (["try"] + arguments).map { "<\($0)>" }.joined()
            let lines = received.split(separator: "\n")
            #expect(terminal.output == ["a", "b"].flatMap { name in lines.map { "\(name)  \($0)\n" } }.joined())
        }
    }

    @Test func `the output of each machine follows in the order of -H, and the exit status is the highest`()
        async throws
    {
        let program = """
            echo "NAME"; echo "$MACHINE"; echo "failed on $MACHINE" >&2
            [ "$MACHINE" = slow ] && exit 1; exit 0
            """
        try await with(program) { terminal in
            #expect(await terminal.run("-H", "slow,b", "task", "list") == .refused)
            #expect(terminal.output == "slow  NAME\nslow  slow\nb     NAME\nb     b\n")
            #expect(terminal.error == "slow  failed on slow\nb     failed on b\n")
        }
    }

    @Test func `a machine that ssh does not reach makes bgtask exit with 3, and the others answer`() async throws {
        try await with("echo $MACHINE") { terminal in
            #expect(await terminal.run("-H", "dead,b", "task", "list") == .unreachable)
            #expect(terminal.output == "b     b\n")
            #expect(terminal.error.contains("dead  no route"))
            #expect(terminal.error.contains("ssh -o BatchMode=yes -- dead true"))
        }
        try await with("exit 127") { terminal in
            #expect(await terminal.run("-H", "a,b", "task", "list") == .unreachable)
            #expect(terminal.error.contains("a: the machine has no bgtask"))
        }
    }

    @Test func `with --json each machine is one line with its answer and exit status`() async throws {
        try await with("printf '{\\n  \"a\" : [\\n    1\\n  ]\\n}\\n'") { terminal in
            #expect(await terminal.run("-H", "a,dead", "--json", "task", "list") == .unreachable)
            #expect(
                terminal.output == """
                    {"answer":{"a" : [1]},"exit_status":0,"host":"a"}
                    {"answer":null,"exit_status":3,"host":"dead"}

                    """
            )
        }
        try await with("echo '{\"a\":1}'; echo '{\"a\":2}'") { terminal in
            #expect(await terminal.run("-H", "a,b", "journal", "--follow", "--json") == .done)
            let lines = terminal.output.split(separator: "\n").sorted()
            #expect(
                lines == [
                    #"{"answer":{"a":1},"host":"a"}"#, #"{"answer":{"a":1},"host":"b"}"#,
                    #"{"answer":{"a":2},"host":"a"}"#, #"{"answer":{"a":2},"host":"b"}"#,
                ]
            )
        }
        try await with("echo '{\"a\":1}'; echo '{\"a\":2}'") { terminal in
            #expect(await terminal.run("-H", "a,b", "task", "submit", "--from", "f", "--json") == .done)
            #expect(terminal.output.hasPrefix(#"{"answer":[{"a":1},{"a":2}],"exit_status":0,"host":"a"}"#))
        }
        try await with("echo not JSON") { terminal in
            #expect(await terminal.run("-H", "a,b", "task", "list", "--json") == .done)
            #expect(terminal.output.hasPrefix(#"{"answer":"not JSON\n","exit_status":0,"host":"a"}"#))
        }
    }

    @Test func `- is refused for several machines, which cannot share standard input`() async throws {
        try await with("cat") { terminal in
            #expect(await terminal.run("-H", "a,b", "task", "submit", "a.b", "--payload", "-") == .misuse)
            #expect(terminal.output.isEmpty && terminal.error.contains("give one machine to -H"))
        }
    }

    @Test func `page is refused for several machines, because it shows one host`() async {
        let terminal = Terminal()
        #expect(await terminal.run("-H", "a,b", "page") == .misuse)
        #expect(terminal.error.contains("bgtask -H HOST page"))
    }

    @Test func `page for a machine whose bgtask does not name its socket is refused with the cause`() async throws {
        try await with("echo 'Error: Unknown option --where' >&2; exit 2") { terminal in
            #expect(await terminal.run("-H", "a", "page", "--no-browser") == .refused)
            #expect(terminal.error.contains("the bgtask on a returned no socket path: Error: Unknown"))
        }
    }

    @Test(arguments: ["/x/${HOME}", "host:22"])
    func `a machine that names no path of its own as its socket is refused, and nothing is forwarded`(
        socket: String
    ) async throws {
        try await with("printf '%s' '{\"socket\":\"\(socket)\"}'") { terminal in
            #expect(await terminal.run("-H", "a", "page", "--no-browser") == .refused)
            #expect(terminal.error.contains("a: ssh cannot forward the control socket \"\(socket)\""))
        }
    }

    @Test func `page names the line that ssh prints when it cannot forward the socket`() async throws {
        try await with("echo '{\"socket\":\"/run/x.sock\"}'") { terminal in
            #expect(await terminal.run("-H", "a", "page", "--no-browser") == .unreachable)
            #expect(terminal.error.contains("ssh: \"cannot bind\""), "\(terminal.error)")
        }
    }

    @Test func `page with --where prints the control socket of this machine's host`() async {
        let terminal = Terminal()
        #expect(await terminal.run("page", "--where", "--socket", "/run/x.sock") == .done)
        #expect(terminal.output == #"{"socket":"/run/x.sock"}"# + "\n")
    }

    @Test func `page refuses a port below 1024`() async {
        let terminal = Terminal()
        #expect(await terminal.run("page", "--port", "80") == .misuse)
        #expect(terminal.error.contains("1024 to 65535"))
    }

    @Test func `a missing ssh program is reported with its name`() async {
        let terminal = Terminal(environment: ["BGTASK_SSH": "/nowhere/ssh"])
        #expect(await terminal.run("-H", "a", "task", "list") == .refused)
        #expect(terminal.error.contains("/nowhere/ssh"))
    }
}
