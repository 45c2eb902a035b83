// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("bgtask watch shows a host live and restores the terminal")
struct WatchTests {
    private static let progresses = TestPlugin("Progresses", tasks: ["export.*"])
    private static let exported = "com.example.progresses.export.7"
    private static let opened = "\u{1b}[?1049h"
    private static let closed = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"
    private static let home = "\u{1b}[H"

    private static func environment(_ own: [String: String] = [:]) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment.merge(["TERM": "xterm-256color", "LANG": "C.UTF-8", "LC_ALL": ""]) { _, new in new }
        environment["NO_COLOR"] = nil
        return environment.merging(own) { _, new in new }
    }

    private static func watch(
        _ host: HostFixture,
        on terminal: PseudoTerminal,
        _ own: [String: String] = [:]
    ) async throws -> ChildProcess {
        let program = try BuiltProgram.command.path()
        let arguments = ["watch", "--interval", "50ms", "--socket", host.socket]
        return try await terminal.start(program, arguments, environment: environment(own))
    }

    /// The lines of the newest complete picture in the output, without control sequences.
    private static func picture(_ output: String) -> [String] {
        let frames = output.components(separatedBy: home)
        return (frames.dropLast().last ?? "").replacing(/\u{1b}\[[0-9;?]*[A-Za-z]/, with: "")
            .split(separator: "\r\n", omittingEmptySubsequences: false).map { String($0).replacing("\r", with: "") }
    }

    @Test(.proves("C25"))
    func `bgtask watch shows a running task, follows the window's size, and ends on Ctrl-C`() async throws {
        try await HostFixture.with(plugins: [Self.progresses]) { host in
            try await PseudoTerminal.with(columns: 100, rows: 24) { terminal in
                let watch = try await Self.watch(host, on: terminal)
                try await terminal.wait(for: "the first picture") { $0.contains("nothing is pending or running") }
                #expect(!terminal.isPlain)
                let submission = try await host.submitContinued(Self.exported)
                let text = try await terminal.wait(for: "the task's title") { $0.contains("Exporting") }
                #expect(text.hasPrefix(Self.opened))
                #expect(text.contains("\u{1b}[32m"))

                terminal.resize(columns: 20, rows: 5)
                let small = try await terminal.wait(for: "a small picture") { Self.picture($0).count == 5 }
                #expect(Self.picture(small).allSatisfy { $0.count <= 20 }, "\(Self.picture(small))")

                terminal.type("\u{3}")
                #expect(try await watch.ending() == .exited(0))
                try await terminal.wait(for: "the terminal's own screen") { $0.hasSuffix(Self.closed) }
                #expect(terminal.isPlain)
                try host.release(Self.progresses)
                _ = try await host.outcome(of: submission)
            }
        }
    }

    @Test func `bgtask watch shows that a killed host is gone, and then the restarted host`() async throws {
        try await HostFixture.with { host in
            try await PseudoTerminal.with(columns: 100, rows: 24) { terminal in
                let watch = try await Self.watch(host, on: terminal, ["NO_COLOR": "1"])
                try await terminal.wait(for: "the first picture") { $0.contains("host up") }
                host.kill9()
                try await terminal.wait(for: "the host's absence") { $0.contains("no answer since") }
                try await host.restart()
                let text = try await terminal.wait(for: "the next host") {
                    Self.picture($0).first?.contains("host up") == true
                }
                #expect(!text.contains("m\u{1b}[") && !text.contains("\u{1b}[1m"))
                watch.signal(SIGTERM)
                #expect(try await watch.ending() == .exited(0))
                try await terminal.wait(for: "the terminal's own screen") { $0.hasSuffix(Self.closed) }
                #expect(terminal.isPlain)
            }
        }
    }

    @Test func `Ctrl-Z restores the terminal at once, and bgtask watch redraws when it continues`() async throws {
        try await HostFixture.with { host in
            try await PseudoTerminal.with(columns: 80, rows: 24) { terminal in
                let watch = try await Self.watch(host, on: terminal)
                try await terminal.wait(for: "the first picture") { $0.contains("host up") }
                terminal.type("\u{1a}")
                try await watch.stopping()
                let text = try await terminal.wait(for: "the terminal's own screen") { $0.hasSuffix(Self.closed) }
                #expect(terminal.isPlain)

                watch.signal(SIGCONT)
                try await terminal.wait(for: "the next picture") {
                    $0.hasPrefix(text + Self.opened) && $0.dropFirst(text.count).contains("host up")
                }
                #expect(!terminal.isPlain)
                terminal.type("q")
                #expect(try await watch.ending() == .exited(0))
            }
        }
    }

    @Test func `bgtask watch ends on q, and sends no control sequences to a dumb terminal`() async throws {
        try await HostFixture.with { host in
            try await PseudoTerminal.with(columns: 80, rows: 24) { terminal in
                let watch = try await Self.watch(host, on: terminal)
                try await terminal.wait(for: "the first picture") { $0.contains("host up") }
                terminal.type("xq")
                #expect(try await watch.ending() == .exited(0))
            }
            try await PseudoTerminal.with(columns: 80, rows: 24) { terminal in
                let watch = try await Self.watch(host, on: terminal, ["TERM": "dumb"])
                let text = try await terminal.wait(for: "the first picture") { $0.contains("host up") }
                #expect(!text.contains("\u{1b}"))
                terminal.type("\u{3}")
                #expect(try await watch.ending() == .exited(0))
            }
        }
    }

    @Test func `without a terminal bgtask watch appends a snapshot per change, and with --once it prints one snapshot`()
        async throws
    {
        try await HostFixture.with(plugins: [Self.progresses]) { host in
            let once = try await host.bgtask("watch", "--once")
            #expect(once.status == 0 && once.output.contains("host up") && !once.output.contains("\u{1b}"))
            let watch = try await ChildProcess.start(
                BuiltProgram.command.path(),
                ["watch", "--interval", "50ms", "--socket", host.socket],
                environment: Self.environment()
            )
            try await watch.outputLine("the first snapshot") { $0.contains("nothing is pending or running") }
            let submission = try await host.submitContinued(Self.exported)
            try await watch.outputLine("the task's title") { $0.contains("Exporting") }
            try host.release(Self.progresses)
            _ = try await host.outcome(of: submission)
            try await watch.outputLine("its end") { $0.contains("succeeded") && $0.contains(Self.exported) }
            watch.signal(SIGINT)
            #expect(try await watch.ending() == .exited(0))
            #expect(!watch.standardOutput.elements.contains { $0.contains("\u{1b}") })
        }
    }
}
