// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import StatementTraits
import Testing

@Suite("A header of a later minor version counts as growth, and a plugin chooses the oldest host that it supports")
struct GrownHeaderTests {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "..")
        .standardizedFileURL
    private static let grow = tests.appending(path: "Minor1/grow")
    private static let check = tests.appending(path: "ABI/check")

    /// Passes the directory of the simulated header of minor 1 to `body`.
    private func withHeader(_ body: (URL, Scratch) throws -> Void) throws {
        try Scratch.with { scratch in
            let result = try Tool.run(Self.grow, ["header", scratch.directory.path])
            try #require(result.status == 0, "\(result.output)")
            try body(scratch.directory.appending(path: "include"), scratch)
        }
    }

    @Test(arguments: ["header", "runner"])
    func `Tests/Minor1/grow refuses to write into a repository or, for a runner, beside foreign sources`(
        part: String
    ) throws {
        for marker in [".git", "Sources"] {
            if part == "header", marker == "Sources" { continue }
            try Scratch.with { scratch in
                try FileManager.default.createDirectory(
                    at: scratch.directory.appending(path: marker),
                    withIntermediateDirectories: true
                )
                let source = scratch.directory.appending(path: "Sources/main.c")
                try FileManager.default.createDirectory(
                    at: source.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data("int main(void);".utf8).write(to: source)
                let result = try Tool.run(Self.grow, [part, scratch.directory.path])
                #expect(result.status == 1, "\(result.output)")
                #expect(FileManager.default.fileExists(atPath: source.path))
            }
        }
    }

    @Test
    func `Tests/Minor1/grow writes a header beside a foreign source file and keeps that file`()
        throws
    {
        try Scratch.with { scratch in
            let sources = scratch.directory.appending(path: "Sources")
            try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
            try Data("int main(void);".utf8).write(to: sources.appending(path: "main.c"))
            let result = try Tool.run(Self.grow, ["header", scratch.directory.path])
            #expect(result.status == 0, "\(result.output)")
            #expect(FileManager.default.fileExists(atPath: sources.appending(path: "main.c").path))
        }
    }

    @Test(.proves("BGT-ABI-03"), arguments: ["x86_64", "aarch64"])
    func `the ABI check of a header whose structs have grown fails, with the remedy to raise the minor version`(
        architecture: String
    ) throws {
        try withHeader { include, _ in
            let result = try Tool.run(
                "env",
                ["BGTASK_INCLUDE=\(include.path)", Self.check.path, "layouts", architecture]
            )
            // Skipped without clang.
            if result.status == 77 { return }
            #expect(result.status == 1 && result.output.contains("Raise BGTASK_ABI_MINOR"), "\(result.output)")
            #expect(!result.output.contains("ABI break"), "\(result.output)")
            for name in ["bgt_request", "bgt_refusal", "bgt_pending", "bgt_task_info", "bgt_plugin", "bgt_host"] {
                #expect(result.output.contains("struct \(name): size"))
            }
        }
    }

    @Test(
        .proves("BGT-ABI-02"),
        .enabled(if: Tool.inspectsBinaries),
        arguments: [("", 1), ("-DBGTASK_TARGET_MINOR=1", 1), ("-DBGTASK_TARGET_MINOR=0", 0)]
    )
    func `a plugin requires the minor version of its header, unless the plugin defines a lower target version`(
        option: String,
        required: UInt8
    ) throws {
        try withHeader { include, scratch in
            let source = try scratch.write(
                "#include <bgtask.h>\nBGTASK_PLUGIN_ENTRY(host, plugin) { return BGT_OK; }\n",
                to: "plugin.c"
            )
            for compiler in [Compiler.gcc, .clang] where compiler.isInstalled {
                let library = scratch.directory.appending(path: "plugin.so")
                let options = ["-shared", "-fPIC", "-I", include.path] + [option].filter { !$0.isEmpty }
                let built = try Tool.run(compiler.rawValue, options + ["-o", library.path, source.path])
                try #require(built.status == 0, "\(built.output)")
                let note = scratch.directory.appending(path: "note")
                let arguments = ["-O", "binary", "--only-section=.note.bgtask", library.path, note.path]
                let copied = try Tool.run("objcopy", arguments)
                try #require(copied.status == 0, "\(copied.output)")
                let words = Array(try Data(contentsOf: note).dropFirst(20))
                #expect(words == [1, 0, 0, 0, required, 0, 0, 0, 1, 0, 0, 0])
            }
        }
    }

    @Test(arguments: [Compiler.gcc, .gxx, .clang, .clangxx].filter(\.isInstalled))
    func `an inline function of minor 1 is declared for the target minor 1, and not for the target minor 0`(
        compiler: Compiler
    ) throws {
        try withHeader { include, scratch in
            let call = """
                #include <bgtask.h>
                BGTASK_PLUGIN_ENTRY(host, plugin) { return bgt_later(host, 1); }

                """
            let source = try scratch.write(call, to: compiler.isCxx ? "plugin.cc" : "plugin.c")
            for target in 0...1 {
                let options = ["-std=\(compiler.baseline)", "-fsyntax-only", "-I", include.path]
                let result = try Tool.run(
                    compiler.rawValue,
                    Compiler.strict + options + ["-DBGTASK_TARGET_MINOR=\(target)", source.path]
                )
                #expect((result.status == 0) == (target == 1), "\(result.output)")
                #expect(target == 1 || result.output.contains("bgt_later"), "\(result.output)")
            }
        }
    }
}
