// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import HostTestKit
import TaskModel
import Testing

@Suite("The Swift runtimes of a plugin and its runner do not interfere")
struct SwiftRuntimeTests {
    @Test(arguments: [[], ["-static-stdlib"]])
    func `a Swift plugin that uses only the C header runs with its own runtime, dynamic or static`(_ flags: [String])
        async throws
    {
        var plugin = TestPlugin("HeaderAlone")
        plugin.library = .bytes(try await SwiftCompiler.library("HeaderAlone", flags: flags))
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            let end = try await host.outcome(of: try await host.submit(plugin.task()))
            #expect(end.event == "succeeded")
            try await host.waitForLog("what it counted") { $0.contains("500 of 1000 are even, and add up to 250500") }
            try await host.runNeighbour()
        }
    }

    @Test func `a plugin with Foundation, threads and Swift tasks runs beside a plugin in C`() async throws {
        let plugin = TestPlugin.part("TaskRefresh", .swift6)
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            #expect(try await host.run(plugin, "refresh", .refresh).event == "succeeded")
            try await host.runNeighbour()
        }
    }

    @Test(.needsSandbox, arguments: ["TaskRefresh", "OperationRefresh"])
    func `a Swift plugin whose libdispatch raises the priority of its threads causes no refused system call`(
        _ part: String
    ) async throws {
        let plugin = TestPlugin.part(part, .swift6)
        // libdispatch sets smaller nice values than that of the launch.
        try await HostFixture.with(HostSetup(["background-nice": "15"]), plugins: [plugin]) { host in
            let end = try await host.run(plugin, "refresh", .refresh)
            #expect(end.event == "succeeded")
            let denied = try await host.journal().filter { $0.event == "denied" }.map(\.message)
            #expect(denied == [])
        }
    }

    @Test func `the runner exports no Swift symbols and needs no Swift libraries`() async throws {
        let runner = try BuiltProgram.runner.path()
        let symbols = try await ProgramRun.of("/usr/bin/nm", ["-D", "--defined-only", runner])
        #expect(symbols.status == 0)
        let names = symbols.output.split(separator: "\n").compactMap { $0.split(separator: " ").last }
        #expect(!names.contains { $0.hasPrefix("$s") || $0.hasPrefix("swift_") || $0.hasPrefix("_swift") }, "\(names)")
        let needs = try await ProgramRun.of("/usr/bin/readelf", ["-d", runner])
        #expect(needs.status == 0 && !needs.output.contains("libswift") && !needs.output.contains("libFoundation"))
    }

    @Test(arguments: BuiltLibrary.allCases)
    func `the entry is the only unmangled symbol that a Swift plugin exports`(_ library: BuiltLibrary) async throws {
        let symbols = try await ScratchDirectory.with { directory in
            let file = try directory.write(library.bytes(), to: "library.so")
            return try await ProgramRun.of("/usr/bin/nm", ["-D", "--defined-only", file])
        }
        // Symbols of the linker that mark the ends of data.
        let marks = ["__bss_start", "_edata", "_end"]
        let names = symbols.output.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
        let plain = names.filter { !$0.hasPrefix("$s") && !$0.hasPrefix("_$s") && !marks.contains($0) }
        #expect(plain == ["bgtask_plugin_entry"])
    }

    @Test(arguments: BuiltLibrary.allCases)
    func `bgtask plugin check accepts a Swift plugin`(_ library: BuiltLibrary) async throws {
        let plugin = TestPlugin.part("OperationRefresh", library)
        try await ScratchDirectory.with { directory in
            try directory.write(try await plugin.libraryBytes(), to: "libColorFeed.so")
            let manifest = try directory.write(plugin.manifest.utf8, to: "ColorFeed.yaml")
            let check = try await ProgramRun.of(BuiltProgram.command.path(), ["plugin", "check", manifest])
            #expect(check.status == 0, "\(check.output)\(check.error)")
            #expect(check.output.contains("pass    elf-exports") && check.output.contains("pass    elf-note"))
        }
    }
}
