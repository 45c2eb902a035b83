// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import TaskModel
import Testing

@Suite("BGT-ABI-01: one symbol is exported, a function")
struct ExportTests {
    private func problemOf(_ code: String, _ options: [String] = ["-shared", "-fPIC"]) throws -> PluginBinaryProblem
        .Kind?
    {
        try Workshop.with { workshop in
            try problem(in: workshop.compile(Source.note() + code, options))
        }
    }

    @Test func `BGT-ABI-01 a library without the entry is refused`() throws {
        #expect(try problemOf("int something(void) { return 0; }") == .entryMissing)
        #expect(try problemOf("") == .entryMissing)
    }

    @Test func `BGT-ABI-01 an entry that the library only calls is missing`() throws {
        #expect(
            try problemOf("int bgtask_plugin_entry(void); int f(void) { return bgtask_plugin_entry(); }")
                == .entryMissing
        )
    }

    @Test func `BGT-ABI-01 an entry that is not exported is called hidden`() throws {
        #expect(
            try problemOf("__attribute__((visibility(\"hidden\"))) int bgtask_plugin_entry(void) { return 0; }")
                == .entryHidden
        )
        #expect(
            try problemOf("__attribute__((used)) static int bgtask_plugin_entry(void) { return 0; }") == .entryHidden
        )
    }

    @Test func `BGT-ABI-01 a stripped library with a hidden entry has none`() throws {
        let hidden = "__attribute__((visibility(\"hidden\"))) int bgtask_plugin_entry(void) { return 0; }"
        #expect(try problemOf(hidden, ["-shared", "-fPIC", "-s"]) == .entryMissing)
    }

    @Test func `BGT-ABI-01 an entry that is data is refused`() throws {
        #expect(try problemOf("int bgtask_plugin_entry = 1;") == .entryNotAFunction)
    }

    @Test func `BGT-ABI-01 a weak entry is an entry`() throws {
        #expect(try problemOf("__attribute__((weak)) int bgtask_plugin_entry(void) { return 0; }") == nil)
    }

    @Test(arguments: ["bgtask_helper", "bgt_helper"])
    func `BGT-ABI-01 any other export in the ABI's names is refused`(name: String) throws {
        #expect(try problemOf(Source.entry + "int \(name)(void) { return 0; }") == .foreignExport(name))
        #expect(try problemOf(Source.entry + "int \(name) = 1;") == .foreignExport(name))
    }

    @Test func `BGT-ABI-01 names that only resemble ours, and names used but not defined, are tolerated`() throws {
        let names = "int bgtaskish(void) { return 0; } int _Z6bgtaskv(void) { return 0; } int my_bgt_x = 1;"
        #expect(try problemOf(Source.entry + names) == nil)
        #expect(try problemOf(Source.entry + "int bgt_foreign(void); int f(void) { return bgt_foreign(); }") == nil)
    }

    @Test func `BGT-ABI-01 the entry is found among thousands of exports`() throws {
        let others = (0..<3_000).map { "int f\($0)(void) { return \($0); }" }.joined(separator: "\n")
        #expect(try problemOf(others + "\n" + Source.entry) == nil)
        #expect(try problemOf(others + "\n" + Source.entry, ["-shared", "-fPIC", "-Wl,--hash-style=sysv"]) == nil)
    }
}
