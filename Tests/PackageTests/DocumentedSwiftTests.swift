// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("The Swift code of the documentation compiles")
struct DocumentedSwiftTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let pages = [
        "README.md", "Documentation/Vendors.md", "SDK/Sources/BackgroundTasks/BackgroundTasks.docc/BackgroundTasks.md",
        "SDK/Sources/BackgroundTasks/BackgroundTasks.docc/Articles/PortingAnApp.md",
        "SDK/Sources/BackgroundTasks/BackgroundTasks.docc/Articles/YourFirstPlugin.md",
        "SDK/Sources/BackgroundTasks/BackgroundTasks.docc/Articles/WorkThatContinues.md",
    ]

    /// The declarations of the app around the code of the pages.
    private static let app = """
        import BackgroundTasks
        import Foundation

        final class ColorFeed: Sendable { static let shared = ColorFeed(); func launch() {} }
        actor Feed { static let shared = Feed(); func update() throws {} }
        actor Store { func deleteOldRows() throws {} }
        struct Exporter { static let shared = Exporter(); func handleExport(task: BGContinuedProcessingTask) {} }
        let feed = Feed.shared
        let store = Store()
        let clean = "com.example.colorfeed.db-cleaning"
        func scheduleAppRefresh() {}

        """

    @Test
    func `Swift blocks of README.md, Vendors.md, the DocC overview and its articles compile, except package manifests`()
        async throws
    {
        let blocks = try Self.pages.flatMap { page in
            try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
                .matches(of: /^```swift\n(.*?)^```$/.anchorsMatchLineEndings().dotMatchesNewlines())
                .map { (page: page, code: String($0.1)) }
        }
        // A package manifest has a module of its own; the tests of vendors build it.
        let code = blocks.filter { !$0.code.contains("import PackageDescription") }
        #expect(code.count >= 9)
        try await ScratchDirectory.with { directory in
            var files = [try directory.write(Self.app.utf8, to: "App.swift")]
            for (number, block) in code.enumerated() {
                files.append(
                    try directory.write(Self.file(of: block.code, number: number).utf8, to: "Block\(number).swift")
                )
            }
            let build = URL(filePath: try BuiltProgram.command.path()).deletingLastPathComponent()
            let map = build.appending(path: "CBackgroundTasks.build/module.modulemap").path
            let run = try await ProgramRun.of(
                "/usr/bin/env",
                [
                    "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-module-name", "Documented",
                    "-I", build.appending(path: "Modules").path,
                    "-Xcc", "-fmodule-map-file=\(map)",
                ] + files,
                within: .seconds(120)
            )
            let names = code.enumerated().map { "Block\($0).swift is of \($1.page)" }.joined(separator: "\n")
            #expect(run.status == 0, "\(run.error)\(names)")
        }
    }

    /// The source file of one code block. The files of all blocks form one module, so statements become a function, and
    /// entry functions get different names.
    private static func file(of block: String, number: Int) -> String {
        let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
        let isImport = { (line: Substring) in line.hasPrefix("import ") }
        let code = lines.filter { !isImport($0) }.joined(separator: "\n")
        let imports = ["import BackgroundTasks", "import BackgroundTasksMain", "import Foundation"]
        let declares = code.contains(/^(@|public |final |enum |struct |class |func )/.anchorsMatchLineEndings())
        let body =
            declares
            ? code.replacing("bgtask_plugin_entry", with: "entry_\(number)")
                .replacing("func enter(", with: "func enter\(number)(")
            : "func block\(number)() {\n\(code)\n}\n"
        return (imports + [body]).joined(separator: "\n")
    }
}
