// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import Testing

@testable import Commands

@Suite("bgtask fleet runs the commands of bgtask-feeder")
struct FleetCommandTests {
    @Test(arguments: [
        ["status"], ["status", "--json"], ["init", "--database", "host=/run/postgresql"], ["hosts", "--help"],
        ["enroll", "web-1", "--role", "web_1", "--group", "web"], ["drain", "web-1", "--end"],
        ["submit", "a.b.c", "--plugin", "a.b", "--target", "any:web"], ["why", "a.b.c", "--", "--plugin"],
        ["cancel", "a.b.c", "--plugin", "a.b"], ["schedule", "nightly", "a.b.c", "--every", "1d"],
    ])
    func `bgtask fleet passes the name of its command and each argument to bgtask-feeder`(words: [String]) throws {
        let command = try #require(try BgtaskCommand.parseAsRoot(["fleet"] + words) as? any FleetVerb)
        #expect(command.passedArguments == words)
    }

    @Test func `an option before the command reaches bgtask-feeder`() throws {
        let invocation = try Invocation(["--json", "fleet", "hosts", "--database", "dbname=fleet"])
        let command = try #require(try BgtaskCommand.parseAsRoot(invocation.command) as? any FleetVerb)
        #expect(command.passedArguments == ["hosts", "--json", "--database", "dbname=fleet"])
    }

    @Test func `bgtask-feeder beside bgtask takes precedence over bgtask-feeder in libexec`() throws {
        let program = FeederProgram(executable: "/opt/b/bin/bgtask")
        #expect(program.candidates == ["/opt/b/bin/bgtask-feeder", "/opt/b/libexec/bgtask/bgtask-feeder"])
        #expect(try program.path { _ in true } == "/opt/b/bin/bgtask-feeder")
        #expect(try program.path { $0.contains("libexec") } == "/opt/b/libexec/bgtask/bgtask-feeder")
        #expect(FeederProgram(executable: "/bgtask").candidates.last == "/libexec/bgtask/bgtask-feeder")
    }

    @Test func `without bgtask-feeder the refusal has the paths and the package to install`() {
        do throws(CommandFailure) {
            _ = try FeederProgram(executable: "/opt/b/bin/bgtask").path { _ in false }
            Issue.record("a missing program was found")
        } catch {
            #expect(error.status == .refused)
            #expect(error.message.contains("/opt/b/bin/bgtask-feeder or /opt/b/libexec/bgtask/bgtask-feeder"))
            #expect(error.remedy?.contains("install the package bgtask-feeder") == true)
        }
    }

    @Test func `bgtask fleet without a command prints its commands`() async {
        let terminal = Terminal()
        #expect(await terminal.run("fleet") == .done)
        for verb in ["init", "enroll", "status", "hosts", "submit", "cancel", "schedule", "why", "drain"] {
            #expect(terminal.output.contains(verb), "\(verb)")
        }
        #expect(!terminal.output.contains("bgtask fleet run"))
    }
}
