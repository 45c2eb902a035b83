// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

/// `AgreementTests` compares the answers of the fake host with those of a runner.
@Suite("libbgtask-testing is a host for unit tests of plugins", .serialized)
struct TestingLibraryTests {
    private static let root = DevelopmentFiles.root.path
    private static let testingHeader = "SDK/Testing/include/bgtask-testing.h"
    private static let pluginHeader = "SDK/Sources/CBackgroundTasks/include/bgtask.h"
    private static let includes = [testingHeader, pluginHeader].flatMap {
        ["-I", "\(root)/\(($0 as NSString).deletingLastPathComponent)"]
    }
    private static let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

    /// Whether the compiler has the libraries of its sanitizers. It prints their paths, or else their names.
    private static let hasSanitizers = ["libasan.so", "libubsan.so"].allSatisfy { name in
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["cc", "-print-file-name=\(name)"]
        process.standardOutput = output
        guard (try? process.run()) != nil else { return false }
        let path = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return path.contains("/")
    }

    /// Builds `libbgtask-testing` and a program of `Programs` with these flags and libraries, and runs the program with
    /// the path of an empty directory.
    private func runProperties(
        _ flags: [String],
        _ name: String = "FakeHost",
        with sources: [String] = [],
        _ libraries: [String] = []
    ) async throws -> ProgramRun {
        try await ScratchDirectory.with { directory in
            let cflags = (["-g", "-O0"] + flags).joined(separator: " ")
            try await Tool.succeed(
                "make",
                ["-s", "-j2", "-C", "\(Self.root)/SDK/Testing", "OUT=\(directory.path)", "CFLAGS=\(cflags)"]
            )
            let program = directory.file("properties")
            let source = "\(Self.root)/Tests/VendorTests/Programs/\(name).c"
            try await Tool.succeed(
                "cc",
                ["-std=c11", "-D_GNU_SOURCE", "-pthread", "-g"] + Self.strict + flags + Self.includes
                    + [source] + sources + [directory.file("libbgtask-testing.a")] + libraries + ["-o", program]
            )
            // The leak detection of AddressSanitizer does not work where processes must not be traced.
            var environment = Tool.environment
            environment["ASAN_OPTIONS"] = "detect_leaks=0"
            try directory.makeDirectory("container")
            return try await Tool.run(program, [directory.file("container")], environment: environment)
        }
    }

    @Test func `no item of a loop with a cursor is skipped, whatever the plugin returns and writes`() async throws {
        let run = try await runProperties([], "Loop")
        #expect(run.status == 0 && run.output == "every check holds\n", "\(run.error)")
    }

    @Test
    func `DatabaseCleaner submits the next prune after a run without a batch, and a vacuum submits a missing prune`()
        async throws
    {
        let folder = "\(Self.root)/Plugins/DatabaseCleaner"
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".c") }
        let run = try await runProperties([], "Cleaner", with: sources.map { "\(folder)/\($0)" }, ["-lsqlite3"])
        #expect(run.status == 0 && run.output == "every check holds\n", "\(run.error)")
    }

    @Test func `the checks of the fake host's clock, queues, records and reports in FakeHost.c hold`() async throws {
        let run = try await runProperties([])
        #expect(run.status == 0 && run.output == "every check holds\n", "\(run.error)")
        #expect(run.error.contains("task 1.1 of com.example.fake.task: not completed within 20 ms; call bgt_complete"))
        let refused = "as register_handler did: \"com.example.fake.unpermitted\" was registered, but"
        #expect(run.error.contains("bgtt_enter: entry returned BGT_NOT_PERMITTED (") && run.error.contains(refused))
        #expect(run.error.contains("violation: BGT-ABI-15: a callback ended its thread"))
        #expect(run.error.contains("pass the pointer itself, never a copy of the table (BGT-ABI-08)"))
    }

    @Test(.enabled(if: hasSanitizers, "libasan and libubsan of the C compiler are not installed"))
    func `sanitizers find no memory error and no undefined behaviour in the checks of the fake host`() async throws {
        let run = try await runProperties(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
        #expect(run.status == 0 && run.output == "every check holds\n", "\(run.error)")
    }

    @Test func `all global symbols of libbgtask-testing begin with bgtt_`() async throws {
        try await DevelopmentFiles.with { files, _ in
            let names = try await Tool.succeed(
                "nm",
                ["--extern-only", "--defined-only", "--format=just-symbols", "\(files.prefix)/lib/libbgtask-testing.a"]
            )
            let own = names.output.split(separator: "\n").filter { !$0.hasSuffix(":") }
            #expect(own.count > 40 && own.allSatisfy { $0.hasPrefix("bgtt_") }, "\(own)")
        }
    }

    @Test(arguments: [("cc", "c11", "c"), ("c++", "c++11", "cc"), ("c++", "c++17", "cc")])
    func `bgtask-testing.h compiles without a warning as C11, C++11 and C++17`(
        compiler: String,
        standard: String,
        suffix: String
    )
        async throws
    {
        try await ScratchDirectory.with { directory in
            let source = try directory.write("#include <bgtask-testing.h>\n".utf8, to: "source.\(suffix)")
            let options = ["-std=\(standard)"] + Self.strict + Self.includes + ["-c", source, "-o", "/dev/null"]
            let run = try await Tool.run(compiler, options)
            #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        }
    }

    @Test
    func `the example plugin and test in the headers' comments build with the documented command, and the test passes`()
        async throws
    {
        try await DevelopmentFiles.with { files, directory in
            try directory.write(Self.example("hello.c", in: Self.pluginHeader), to: "hello.c")
            try directory.write(
                Self.example("hello_test.c", in: Self.testingHeader),
                to: "hello_test.c"
            )
            let command =
                "cc $(pkg-config --cflags bgtask-testing) hello.c hello_test.c $(pkg-config --libs bgtask-testing)"
                + " -o hello-test && ./hello-test"
            let header = try String(contentsOfFile: "\(Self.root)/\(Self.testingHeader)", encoding: .utf8)
            #expect(header.contains(command.replacing(" && ./hello-test", with: "")))
            let run = try await Tool.run("sh", ["-c", command], in: directory.path, environment: files.environment)
            #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        }
    }

    /// The indented code below the line of a header's comment that names the file.
    private static func example(_ name: String, in header: String) throws -> String.UTF8View {
        let text = try String(contentsOfFile: "\(root)/\(header)", encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex { $0.hasSuffix(", \(name):") }, "\(header) has no \(name)")
        let code = lines[(begin + 2)...].prefix { $0 == " *" || $0.hasPrefix(" *     ") }
        // The command line behind the code is indented, too.
        let end = code.lastIndex { $0 == " *     }" } ?? code.endIndex
        return code[...end].map { $0.dropFirst(7) + "\n" }.joined().utf8
    }
}
