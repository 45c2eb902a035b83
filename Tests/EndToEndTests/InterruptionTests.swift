// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("An interrupted command leaves no process and no temporary directory")
struct InterruptionTests {
    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func `a signal to plugin try kills its processes, deletes its temporary directory, and sets the exit status`(
        signal: Int32,
        status: Int32
    ) async throws {
        try await interrupt(with: signal, status, ["plugin", "try", "MANIFEST", "TASK"]) { $0.contains("entered: ") }
    }

    @Test
    func `a signal to plugin check kills its processes, deletes its temporary directory, and sets the exit status`()
        async throws
    {
        // Nothing is printed while no terminal shows it: the trial has begun when its directory exists.
        try await interrupt(with: SIGTERM, 143, ["plugin", "check", "MANIFEST", "--level", "3", "--slack", "100"])
    }

    /// Interrupts a command on a plugin that never completes its task. Checks the exit status of the command, and that
    /// it leaves no temporary file and no child process.
    private func interrupt(
        with signal: Int32,
        _ status: Int32,
        _ arguments: [String],
        at line: (@Sendable (String) -> Bool)? = nil
    ) async throws {
        try await ScratchDirectory.with { directory in
            let plugin = TestPlugin("NeverCompletes")
            try directory.write(try await plugin.libraryBytes(), to: "libNeverCompletes.so")
            let manifest = try directory.write(plugin.manifest.utf8, to: "NeverCompletes.yaml")
            try directory.makeDirectory("tmp")
            let temporary = directory.file("tmp")
            var environment = ProcessInfo.processInfo.environment
            environment["TMPDIR"] = temporary
            let command = try await ChildProcess.start(
                BuiltProgram.command.path(),
                arguments.map { $0 == "MANIFEST" ? manifest : $0 == "TASK" ? plugin.task() : $0 },
                environment: environment
            )
            if let line {
                _ = try await command.errorLine("the entry of the plugin", where: line)
            } else {
                while try FileManager.default.contentsOfDirectory(atPath: temporary).isEmpty, !command.hasEnded {
                    await Task.yield()
                }
            }
            command.signal(signal)
            #expect(try await command.ending() == .exited(status))
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
            #expect(Self.children(of: command.pid) == [])
        }
    }

    /// Process IDs of the children of a process.
    private static func children(of parent: Int32) -> [String] {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.filter { process in
            let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            return status?.contains("\nPPid:\t\(parent)\n") == true
        }
    }

    @Test func `a pack whose installation is interrupted at its question leaves no unpacked file`() async throws {
        try await ScratchDirectory.with { directory in
            let plugin = TestPlugin("Conforms")
            try directory.write(try await plugin.libraryBytes(), to: "libConforms.so")
            let manifest = try directory.write(plugin.manifest.utf8, to: "Conforms.yaml")
            for name in ["tmp", "manifests"] { try directory.makeDirectory(name) }
            let pack = directory.file("conforms.bgplugin")
            let packed = try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["plugin", "pack", manifest, "--output", pack]
            )
            try #require(packed.status == 0, "\(packed.error)")
            try await PseudoTerminal.with(columns: 200, rows: 50) { terminal in
                var environment = ProcessInfo.processInfo.environment
                environment["TMPDIR"] = directory.file("tmp")
                let command = try await terminal.start(
                    BuiltProgram.command.path(),
                    ["plugin", "install", pack, "--manifests", directory.file("manifests")],
                    environment: environment
                )
                try await terminal.wait(for: "the question") { $0.contains("install it? [y/N]") }
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("tmp")).count == 1)
                command.signal(SIGINT)
                #expect(try await command.ending() == .exited(130))
                #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("tmp")) == [])
            }
        }
    }
}
