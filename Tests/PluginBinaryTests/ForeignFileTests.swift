// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import TaskModel
import Testing

@Suite("A file that is not a plugin for this machine is refused with its actual kind")
struct ForeignFileTests {
    @Test func `a missing library is unreadable, with the system's error`() throws {
        let error = #expect(throws: PluginBinaryProblem.self) { try PluginBinary.examine(path: "/nowhere/libx.so") }
        #expect(error?.kind == .unreadable(errno: ENOENT))
        #expect(
            error?.description
                == "library \"/nowhere/libx.so\" cannot be read: No such file or directory (errno 2); install it there"
        )
    }

    @Test func `directories, pipes and devices in place of a library are refused without blocking`() throws {
        try Workshop.with { workshop in
            let pipe = workshop.path("pipe")
            try #require(mkfifo(pipe, 0o600) == 0)
            #expect(problem(in: pipe) == .notAFile("a named pipe"))
            #expect(problem(in: workshop.directory) == .notAFile("a directory"))
            #expect(problem(in: "/dev/zero") == .notAFile("a device"))
        }
    }

    @Test(arguments: ["", "x", "\u{7f}EL", "#!/bin/sh\nexit 0\n", "INPUT(libother.so)\n"])
    func `a text file in place of a library is refused as no ELF file`(text: String) throws {
        try Workshop.with { workshop in
            try #expect(workshop.problem(inBytes: Array(text.utf8)) == .notAnELF)
        }
    }

    private func problemAfter(_ patch: (inout [UInt8]) -> Void) throws -> PluginBinaryProblem.Kind? {
        try Workshop.with { workshop in
            var bytes = try workshop.bytes(of: try workshop.compile(Source.plugin))
            patch(&bytes)
            return try problem(in: workshop.write(bytes))
        }
    }

    @Test func `a library for another processor is refused with the processor's name`() throws {
        let mips = try problemAfter { ($0[18], $0[19]) = (8, 0) }
        let unknown = try problemAfter { ($0[18], $0[19]) = (0x34, 0x12) }
        let big = try problemAfter { ($0[5], $0[18], $0[19]) = (2, 0, 22) }
        #expect(mips == .foreignArchitecture("MIPS"))
        #expect(unknown == .foreignArchitecture("machine 4660"))
        #expect(big == .foreignArchitecture("big-endian S/390"))
    }

    @Test func `a 32-bit library and a library for another system are refused`() throws {
        let narrow = try problemAfter { $0[4] = 1 }
        let system = try problemAfter { $0[7] = 9 }
        guard case .foreignArchitecture(let name) = system else {
            Issue.record("\(String(describing: system))")
            return
        }
        #expect(narrow == .wrongClass("32-bit"))
        #expect(name.contains("OS ABI 9"))
    }

    @Test func `objects and executables are refused as no shared libraries`() throws {
        try Workshop.with { workshop in
            let object = try workshop.compile(Source.plugin, to: "plugin.o", ["-c", "-fPIC"])
            let executable = try workshop.compile("int main(void) { return 0; }", to: "fixed", ["-no-pie"])
            let movable = try workshop.compile("int main(void) { return 0; }", to: "movable", ["-pie", "-fPIE"])
            #expect(problem(in: object) == .notASharedLibrary("an object file"))
            #expect(problem(in: executable) == .notASharedLibrary("an executable"))
            #expect(problem(in: movable) == .notASharedLibrary("a position-independent executable"))
        }
    }

    @Test func `25 kinds of messages about a library name it and a remedy, in one line without control characters`() {
        let kinds: [PluginBinaryProblem.Kind] = [
            .unreadable(errno: EACCES), .notAFile("a directory"), .notAnELF, .wrongClass("32-bit"),
            .foreignArchitecture("MIPS"), .notASharedLibrary("an object file"), .truncated, .damaged("x"), .noNote,
            .newerMajors([2, 3]), .olderMajors([0]), .newerMinor(required: 4, offered: 0), .entryMissing, .entryHidden,
            .entryMangled("_Z1f\u{7}"), .textRelocations, .notOpenable("/x\n"), .entryNotAFunction,
            .foreignExport("bgt_x\n\u{1b}[2J"), .noteBesideHandlers, .entryBesideHandlers,
            .symbolMissing("f\u{7}", nearest: nil), .symbolHidden("f"), .symbolOutdated("f"),
            .symbolNotAFunction("f\n"),
        ]
        for kind in kinds {
            let text = PluginBinaryProblem(path: "/lib/x\u{7}.so", kind: kind).description
            #expect(text.hasPrefix("library \"/lib/x\\u{7}.so\" "))
            #expect(text.contains("; "))
            #expect(!text.hasSuffix("."))
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 }, "\(text)")
        }
        #expect(Set(kinds.map { PluginBinaryProblem(path: "", kind: $0).code }).count == kinds.count)
    }
}
