// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import PluginBinary
import Testing

@Suite("The remedy for a missing or misplaced entry is in the words of the library's language")
struct LanguageTests {
    /// Compiles the source with the command, and returns the first problem with the entry function of the library; nil
    /// without such a problem.
    private func problem(_ workshop: Workshop, _ source: String, _ file: String, _ command: [String]) throws
        -> PluginBinaryProblem?
    {
        let (input, output) = (workshop.path(file), workshop.path("lib\(file).so"))
        try Data(source.utf8).write(to: URL(filePath: input))
        try ProgramRun.requireSuccess(of: command + ["-o", output, input])
        return BinarySurvey(path: output).problems.first { $0.code.hasPrefix("entry") }
    }

    private static func hasCompiler(_ name: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    @Test func `a library in C without an entry gets the macro of the header as remedy`() throws {
        try Workshop.with { workshop in
            let survey = BinarySurvey(path: try workshop.compile("int f(void) { return 0; }"))
            #expect(survey.traits?.language == .c)
            let problem = try #require(survey.problems.first { $0.kind == .entryMissing })
            #expect(problem.remedy == "write it with BGTASK_PLUGIN_ENTRY of bgtask.h, which also exports it")
        }
    }

    @Test(.enabled(if: hasCompiler("c++"), "c++ is not installed"), arguments: [[], ["-s"]])
    func `a library in C++ whose entry is mangled gets extern "C" as remedy`(options: [String]) throws {
        try Workshop.with { workshop in
            let source = "#include <string>\nint bgtask_plugin_entry(int *p) { return std::string(*p, 'x').size(); }"
            let command = ["c++", "-shared", "-fPIC"] + options
            let problem = try #require(try problem(workshop, source, "a.cc", command))
            #expect(problem.kind == .entryMangled("_Z19bgtask_plugin_entryPi"))
            #expect(problem.language == .cxx && problem.remedy.contains("declare it extern \"C\""))
        }
    }

    @Test(.enabled(if: hasCompiler("rustc"), "rustc is not installed"))
    func `a library in Rust whose entry is mangled gets no_mangle as remedy`() throws {
        try Workshop.with { workshop in
            let source = """
                #[inline(never)] pub extern "C" fn bgtask_plugin_entry(n: i32) -> i32 { std::hint::black_box(n) + 1 }
                #[no_mangle] pub extern "C" fn other(n: i32) -> i32 { bgtask_plugin_entry(n) }
                """
            let command = ["rustc", "--crate-type", "cdylib", "-C", "debuginfo=0"]
            let problem = try #require(try problem(workshop, source, "a.rs", command))
            #expect(problem.code == "entry-mangled" && problem.language == .rust)
            #expect(problem.remedy.contains("#[unsafe(no_mangle)]"))
            let stripped = workshop.path("liba.rs.so")
            try ProgramRun.requireSuccess(of: ["strip", stripped])
            let remaining = BinarySurvey(path: stripped)
            #expect(remaining.traits?.language == .rust)
            #expect(remaining.problems.contains { $0.kind == .entryMissing && $0.remedy.contains("cdylib") })
        }
    }

    @Test func `a library in Swift without an entry gets the attribute as remedy`() throws {
        // The section is the mark that Swift leaves in every module, also in a stripped one.
        let mark = "__attribute__((section(\"swift5_protocols\"), used)) static int mark = 1;"
        try Workshop.with { workshop in
            let survey = BinarySurvey(path: try workshop.compile(mark, ["-shared", "-fPIC", "-s"]))
            #expect(survey.traits?.language == .swift)
            let problem = try #require(survey.problems.first { $0.kind == .entryMissing })
            #expect(problem.remedy == "write @c(bgtask_plugin_entry) before a public function")
        }
    }

    @Test func `a library in Go without an entry gets a C file of its package as remedy`() throws {
        let mark = "__attribute__((section(\".note.go.buildid\"), used)) static const int mark = 1;"
        try Workshop.with { workshop in
            let survey = BinarySurvey(path: try workshop.compile(mark, ["-shared", "-fPIC", "-s"]))
            #expect(survey.traits?.language == .go)
            let problem = try #require(survey.problems.first { $0.kind == .entryMissing })
            #expect(problem.remedy.contains("C file of the package main") && problem.remedy.contains("c-shared"))
        }
    }

    @Test(arguments: LibraryLanguage.allCases)
    func `every language has a remedy for a missing, hidden and mangled entry and for a missing bgtask note`(
        language: LibraryLanguage
    ) {
        let kinds: [PluginBinaryProblem.Kind] = [.entryMissing, .entryHidden, .entryMangled("x"), .entryNotAFunction]
        for kind in kinds + [.noNote] {
            let remedy = PluginBinaryProblem(path: "x", kind: kind, language: language).remedy
            #expect(!remedy.isEmpty && !remedy.hasSuffix("."), "\(kind)")
        }
    }
}
