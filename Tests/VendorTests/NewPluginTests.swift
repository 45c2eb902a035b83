// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@Suite("A plugin that bgtask plugin new has written builds, passes its test and the check, and runs", .serialized)
struct NewPluginTests {
    private static let main = "com.example.hello-world"
    private static let `extension` = "com.example.hello-world.keyboard"

    /// Writes a plugin into a directory and returns the path of its project.
    private func write(_ identifier: String, _ options: [String], in directory: ScratchDirectory) async throws -> String
    {
        let project = directory.file("project")
        let arguments = ["plugin", "new", identifier, "--directory", project] + options
        try await Tool.succeed(try BuiltProgram.command.path(), arguments)
        return project
    }

    /// Writes a plugin, builds and checks it, and calls `body` with the path of its library.
    private func build(
        _ language: String,
        role: String,
        kind: String = "refresh",
        _ body: (String) async throws -> Void = { _ in }
    ) async throws {
        try await build(language, role: role, kind: kind) { library, _ in try await body(library) }
    }

    /// Writes a plugin, builds it with `make`, checks it with `make check` and at level 2, and calls `body` with the
    /// path of its library and the environment of `make`.
    private func build(
        _ language: String,
        role: String,
        kind: String = "refresh",
        _ body: (String, [String: String]) async throws -> Void
    ) async throws {
        try await DevelopmentFiles.with { files, directory in
            let identifier = role == "main" ? Self.main : Self.extension
            let options = ["--language", language, "--role", role, "--kind", kind]
            let project = try await write(identifier, options, in: directory)
            let settings = ["BGTASK=\(try BuiltProgram.command.path())"]
            let environment = files.environment
            let build = try await Tool.succeed("make", settings, in: project, environment: environment)
            #expect(!build.error.contains("warning"), "\(build.error)")
            let check = try await Tool.succeed("make", ["check"] + settings, in: project, environment: environment)
            let name = role == "main" ? "hello_world" : "keyboard"
            #expect(check.output.contains("\(name): every statement is true"), "\(check.output)")
            #expect(check.error.contains("conforms"), "\(check.error)")
            try await checkAtLevel2("\(project)/\(name).yaml", isMain: role == "main")
            if let source = Self.newSources[language] {
                let question = ["--question", "all"] + settings
                let before = try await Tool.run("make", question, in: project, environment: environment)
                try Data("\n".utf8).write(to: URL(filePath: "\(project)/\(source)"))
                let after = try await Tool.run("make", question, in: project, environment: environment)
                #expect(before.status == 0 && after.status == 1, "make does not build again for \(source)")
            }
            try await body("\(project)/lib\(name).so", environment)
        }
    }

    /// Runs the plugin in all trials up to level 2, beside the manifest that stands in for the main plugin.
    private func checkAtLevel2(_ manifest: String, isMain: Bool) async throws {
        let project = URL(filePath: manifest).deletingLastPathComponent().path
        let neighbours = isMain ? [] : ["--with", "\(project)/tests/main.yaml", "--plugins", project]
        let arguments = ["plugin", "check", manifest, "--level", "2", "--only-failed"] + neighbours
        let check = try await HostSlots.withSlot { try await Tool.run(BuiltProgram.command.path(), arguments) }
        #expect(check.status == 0, "\(check.output)\(check.error)")
    }

    /// A source that a vendor adds, by language. The Makefile has to build the library again.
    private static let newSources = ["c": "more.c", "c++": "more.cpp", "rust": "src/more.rs", "go": "more.go"]

    /// Installs the library in a host, awaits the success of the event `started`, and runs the task.
    private func runInHost(_ library: String) async throws { try await runInHost(library, "refresh") }

    private func runInHost(_ library: String, _ work: String) async throws {
        var plugin = TestPlugin("hello_world", tasks: [work])
        plugin.identifier = Self.main
        plugin.library = .bytes(Array(try Data(contentsOf: URL(filePath: library))))
        let task = plugin.task()
        try await HostFixture.with(plugins: [plugin]) { host in
            let started = try await host.waitForJournal("the event's end") { $0.task == "started" && $0.launch != nil }
            #expect(started.event == "succeeded", "\(started)")
            let run = try await host.waitForJournal("the task's end") { line in
                line.task == task && ["succeeded", "failed", "crashed", "expired"].contains(line.event)
            }
            #expect(run.event == "succeeded", "\(run)")
        }
    }

    /// Runs the extension with a main plugin that does not permit the identifier of its submission.
    private func tryWithForeignTask(_ library: String) async throws {
        let project = URL(filePath: library).deletingLastPathComponent().path
        let main = "\(project)/tests/main.yaml"
        let text = try String(contentsOfFile: main, encoding: .utf8)
        let other = text.replacing("hello-world.refresh]", with: "hello-world.other]")
        try Data(other.utf8).write(to: URL(filePath: main))
        let command = try BuiltProgram.command.path()
        let places = ["--with", main, "--plugins", project]
        let trial = ["plugin", "try", "\(project)/keyboard.yaml", "trigger"] + places
        let tried = try await Tool.run(command, trial)
        #expect(tried.output.contains("hello-world.refresh (refresh): not-permitted: "), "\(tried.output)")
    }

    @Test func `a main plugin written by plugin new in C builds, passes its test and the check, and runs in a host`()
        async throws
    {
        try await build("c", role: "main", runInHost)
    }

    @Test(arguments: ["c", "c++"])
    func `a plugin written by plugin new --kind processing builds, passes its test and the check, and runs in a host`(
        language: String
    ) async throws {
        try await build(language, role: "main", kind: "processing") { library in
            try await runInHost(library, "clean")
        }
    }

    @Test(.enabled(if: Tool.isInstalled("cargo"), "cargo is not installed"))
    func `a plugin in Rust written by plugin new --kind processing builds and passes its test and the check`()
        async throws
    {
        try await build("rust", role: "main", kind: "processing")
    }

    @Test func `a plugin in Swift written by plugin new --kind processing builds and passes its test and the check`()
        async throws
    {
        try await build("swift", role: "main", kind: "processing")
    }

    @Test func `an extension written by plugin new in C builds and passes its test and the check`() async throws {
        try await build("c", role: "extension")
    }

    @Test func `make trials of an extension written by plugin new succeeds and reports that the extension conforms`()
        async throws
    {
        try await build("c", role: "extension") { library, environment in
            let project = URL(filePath: library).deletingLastPathComponent().path
            let settings = ["trials", "BGTASK=\(try BuiltProgram.command.path())"]
            let trials = try await HostSlots.withSlot {
                try await Tool.run("make", settings, in: project, environment: environment)
            }
            #expect(trials.status == 0 && trials.error.contains("conforms"), "\(trials.output)\(trials.error)")
        }
    }

    @Test func `plugin try judges the submissions of an extension by the manifest of its main plugin`()
        async throws
    {
        try await build("c", role: "extension", tryWithForeignTask)
    }

    @Test func `a main plugin written by plugin new in C++ builds, passes its test and the check, and runs in a host`()
        async throws
    {
        try await build("c++", role: "main", runInHost)
    }

    @Test func `an extension written by plugin new in C++ builds and passes its test and the check`() async throws {
        try await build("c++", role: "extension")
    }

    @Test(.enabled(if: Tool.isInstalled("cargo"), "cargo is not installed"))
    func `a main plugin written by plugin new in Rust builds, passes its test and the check, and runs in a host`()
        async throws
    {
        try await build("rust", role: "main", runInHost)
    }

    @Test(.enabled(if: Tool.isInstalled("cargo"), "cargo is not installed"))
    func `an extension written by plugin new in Rust builds and passes its test and the check`() async throws {
        try await build("rust", role: "extension")
    }

    @Test(.enabled(if: Tool.isInstalled("go"), "go is not installed"))
    func `a main plugin written by plugin new in Go builds, passes its test and the check, and runs in a host`()
        async throws
    {
        try await build("go", role: "main", runInHost)
    }

    @Test
    func `a main plugin written by plugin new in Swift builds, passes its test and the check, and runs in a host`()
        async throws
    {
        try await build("swift", role: "main", runInHost)
    }

    @Test func `an extension written by plugin new in Swift builds and passes its test and the check`() async throws {
        try await build("swift", role: "extension")
    }
}
