// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("The Tab key of interactive shells completes commands of bgtask", .timeLimit(.minutes(30)))
struct ShellCompletionTests {
    private static let program = URL(filePath: #filePath).appending(path: "../../Completion/offered").standardized.path

    @Test(arguments: ["bash", "zsh", "fish"])
    func `a shell offers commands, options, values and the identifiers of a host`(shell: String) async throws {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            let script = try await Self.script(of: shell, for: host)
            func offered(_ line: String) async throws -> [String] { try await Self.offered(shell, script, line, host) }

            #expect(try await offered("bgtask pl") == ["plugin"])
            #expect(try await offered("bgtask ").contains("notification"))
            #expect(try await Set(offered("bgtask plugin show --")).isSuperset(of: ["--json", "--socket", "--help"]))
            #expect(try await offered("bgtask launch list --outcome ").contains("entry-failed"))
            #expect(try await Set(offered("bgtask replay ")) == ["day", "week"])
            #expect(try await offered("bgtask task list --reason ").contains("retry-delay"))
            #expect(try await offered("bgtask launch list --sort ").contains("used"))
            #expect(try await offered("bgtask task list --kind refresh,").contains("refresh,event"))
            #expect(try await offered("bgtask --json task ").contains("retry"))

            #expect(try await offered("bgtask plugin show ") == [TestPlugin.neighbour.identifier])
            #expect(try await offered("bgtask task list --plugin com.") == [TestPlugin.neighbour.identifier])
            #expect(try await offered("bgtask task cancel ").contains(TestPlugin.neighbour.task()))
            #expect(try await offered("bgtask launch show ").contains("1"))
            #expect(try await offered("bgtask plugin show --socket \(host.socket).gone ") == [])
            #expect(try await offered("bgtask --json --socket \(host.socket).gone plugin show ") == [])
            #expect(try await offered("bgtask --json tas") == ["task"])
        }
    }

    /// The path of the completion script; its name is the one that zsh looks for.
    private static func script(of shell: String, for host: HostFixture) async throws -> String {
        let generated = try await ProgramRun.of(
            BuiltProgram.command.path(),
            ["--generate-completion-script", shell]
        )
        #expect(generated.status == 0, "\(generated.error)")
        return try host.directory.write(generated.output.utf8, to: "_bgtask")
    }

    /// The words that the Tab key offers at the end of a command line.
    private static func offered(
        _ shell: String,
        _ script: String,
        _ line: String,
        _ host: HostFixture
    ) async throws -> [String] {
        let programs = (try BuiltProgram.command.path() as NSString).deletingLastPathComponent
        let own = ProcessInfo.processInfo.environment
        let environment = own.merging(
            ["PATH": "\(programs):\(own["PATH"] ?? "/usr/bin:/bin")", "BGTASK_SOCKET": host.socket]
        ) { $1 }
        let run = try await ProgramRun.of(
            "/usr/bin/python3",
            [program, shell, script, line],
            environment: environment,
            within: .seconds(120)
        )
        #expect(run.status == 0, "\(run.output)\(run.error)")
        return run.output.split(separator: "\n").map(String.init)
    }
}
