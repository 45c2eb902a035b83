// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("bgtask plugin new writes complete files, and overwrites none")
struct NewPluginFilesTests {
    private static let main = "com.example.hello-world"
    private static let `extension` = "com.example.hello-world.keyboard"

    @Test(arguments: ["c", "c++", "swift", "rust", "go"], ["main", "extension"])
    func `the files that plugin new writes end with one newline and contain no placeholder`(
        language: String,
        role: String
    )
        async throws
    {
        try await ScratchDirectory.with { directory in
            let identifier = role == "main" ? Self.main : Self.extension
            let project = directory.file("project")
            let options = ["--language", language, "--role", role, "--directory", project]
            try await Tool.succeed(try BuiltProgram.command.path(), ["plugin", "new", identifier] + options)
            let paths = FileManager.default.enumerator(atPath: project)?.compactMap { $0 as? String } ?? []
            let texts = paths.compactMap { try? String(contentsOfFile: "\(project)/\($0)", encoding: .utf8) }
            #expect(texts.count >= 5 && paths.contains("README.md") && paths.contains("Makefile"))
            for text in texts {
                #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
                #expect(!text.contains(#/@[A-Z]+@/#), "\(text)")
            }
        }
    }

    @Test(arguments: ["c", "c++", "swift", "rust", "go"])
    func `the README that plugin new writes has the command that installs headers and packages from a checkout`(
        language: String
    )
        async throws
    {
        try await ScratchDirectory.with { directory in
            let options = ["--language", language, "--directory", directory.file("project")]
            try await Tool.succeed(try BuiltProgram.command.path(), ["plugin", "new", Self.main] + options)
            let readme = try #require(directory.text(of: "project/README.md"))
            #expect(readme.contains("\n    make -C Packaging headers development PREFIX=$HOME/.local\n"))
            #expect(readme.contains("`BGTASK_SDK`") == (language == "swift"))
        }
    }

    @Test func `plugin new fails when its Makefile exists, keeps that file, and writes no other`() async throws {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("project")
            try directory.write("all: mine\n".utf8, to: "project/Makefile")
            let arguments = ["plugin", "new", Self.main, "--language", "c", "--directory", directory.file("project")]
            let run = try await Tool.run(try BuiltProgram.command.path(), arguments)
            #expect(run.status == 1)
            #expect(run.error.contains("project/Makefile exists, and existing files are not overwritten"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.file("project")) == ["Makefile"])
            #expect(directory.text(of: "project/Makefile") == "all: mine\n")
        }
    }

    @Test func `plugin new without --directory writes into a directory named after the last part of the identifier`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let command = try BuiltProgram.command.path()
            let arguments = ["plugin", "new", Self.main, "--language", "c"]
            let run = try await Tool.succeed(command, arguments, in: directory.path)
            #expect(run.output.contains("hello-world/hello_world.c\n"))
            #expect(run.error.contains("next: cd hello-world && make && make check"))
            #expect(directory.text(of: "hello-world/hello_world.yaml")?.contains("identifier: \(Self.main)\n") == true)
        }
    }

    @Test func `plugin new takes an extension's main plugin from its identifier or from --main, and otherwise fails`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let command = try BuiltProgram.command.path()
            let options = ["--language", "c", "--role", "extension"]
            _ = try await Tool.succeed(command, ["plugin", "new", Self.extension] + options, in: directory.path)
            let first = try #require(directory.text(of: "keyboard/keyboard.yaml"))
            #expect(first.contains("containing-plugin: com.example.hello-world\n"))

            let other = ["plugin", "new", "com.shared", "--main", "com.example.feed"] + options
            _ = try await Tool.succeed(command, other, in: directory.path)
            let second = try #require(directory.text(of: "shared/shared.yaml"))
            #expect(second.contains("containing-plugin: com.example.feed\n"))

            let unknown = try await Tool.run(command, ["plugin", "new", "com.other"] + options, in: directory.path)
            #expect(unknown.status == 2 && unknown.error.contains("name it with --main"), "\(unknown.error)")
        }
    }
}
