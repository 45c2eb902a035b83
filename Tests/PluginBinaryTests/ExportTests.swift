// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import StatementTraits
import TaskModel
import Testing

@Suite("A plugin exports exactly one symbol with a prefix of the ABI, its entry", .proves("BGT-ABI-01"))
struct ExportTests {
    private func problemOf(_ code: String, _ options: [String] = ["-shared", "-fPIC"]) throws -> PluginBinaryProblem
        .Kind?
    {
        try Workshop.with { workshop in
            try problem(in: workshop.compile(Source.note() + code, options))
        }
    }

    @Test func `a plugin library without the entry is refused`() throws {
        #expect(try problemOf("int something(void) { return 0; }") == .entryMissing)
        #expect(try problemOf("") == .entryMissing)
    }

    @Test func `an entry that the plugin library only calls counts as missing`() throws {
        #expect(
            try problemOf("int bgtask_plugin_entry(void); int f(void) { return bgtask_plugin_entry(); }")
                == .entryMissing
        )
    }

    @Test func `an entry that the plugin library does not export is reported as hidden`() throws {
        #expect(
            try problemOf("__attribute__((visibility(\"hidden\"))) int bgtask_plugin_entry(void) { return 0; }")
                == .entryHidden
        )
        #expect(
            try problemOf("__attribute__((used)) static int bgtask_plugin_entry(void) { return 0; }") == .entryHidden
        )
    }

    @Test func `a hidden entry of a stripped plugin library counts as missing`() throws {
        let hidden = "__attribute__((visibility(\"hidden\"))) int bgtask_plugin_entry(void) { return 0; }"
        #expect(try problemOf(hidden, ["-shared", "-fPIC", "-s"]) == .entryMissing)
    }

    @Test func `an entry symbol that is data is refused`() throws {
        #expect(try problemOf("int bgtask_plugin_entry = 1;") == .entryNotAFunction)
    }

    @Test func `a weak entry symbol is accepted`() throws {
        #expect(try problemOf("__attribute__((weak)) int bgtask_plugin_entry(void) { return 0; }") == nil)
    }

    @Test(arguments: ["bgtask_helper", "bgt_helper"])
    func `an export with the prefix bgtask_ or bgt_ besides the entry is refused`(name: String) throws {
        #expect(try problemOf(Source.entry + "int \(name)(void) { return 0; }") == .foreignExport(name))
        #expect(try problemOf(Source.entry + "int \(name) = 1;") == .foreignExport(name))
    }

    @Test func `numbered plugin entries for other ABI majors are accepted beside the entry`() throws {
        let next = "int bgtask_plugin_entry_2(void) { return 0; } int bgtask_plugin_entry_17(void) { return 0; }"
        #expect(try problemOf(Source.entry + next) == nil)
        #expect(try problemOf(next) == .entryMissing)
        for name in ["bgtask_plugin_entry_", "bgtask_plugin_entry_2a", "bgtask_plugin_entry2", "bgtask_plugin_entry_x"]
        {
            #expect(try problemOf(Source.entry + "int \(name)(void) { return 0; }") == .foreignExport(name))
        }
    }

    @Test func `a mangled name of the entry is reported with that name, also in a stripped library`() throws {
        let name = "_Z19bgtask_plugin_entryPK8bgt_hostP10bgt_plugin"
        let code = "int \(name)(void) { return 0; }"
        #expect(try problemOf(code) == .entryMangled(name))
        #expect(try problemOf(code, ["-shared", "-fPIC", "-s"]) == .entryMangled(name))
        #expect(try problemOf("int bgtask_plugin_entry_2(void) { return 0; } static int v;") == .entryMissing)
    }

    @Test func `exports with similar names, and undefined symbols with a prefix of the ABI, are accepted`() throws {
        let names = "int bgtaskish(void) { return 0; } int _Z6bgtaskv(void) { return 0; } int my_bgt_x = 1;"
        #expect(try problemOf(Source.entry + names) == nil)
        #expect(try problemOf(Source.entry + "int bgt_foreign(void); int f(void) { return bgt_foreign(); }") == nil)
    }

    @Test func `the entry of a plugin library is found among thousands of exports`() throws {
        let others = (0..<3_000).map { "int f\($0)(void) { return \($0); }" }.joined(separator: "\n")
        #expect(try problemOf(others + "\n" + Source.entry) == nil)
        #expect(try problemOf(others + "\n" + Source.entry, ["-shared", "-fPIC", "-Wl,--hash-style=sysv"]) == nil)
    }
}
