// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import StatementTraits
import TaskModel
import Testing

@Suite("The ABI version is read from the library's note", .proves("BGT-ABI-02"))
struct NoteTests {
    @Test func `a plugin library without a bgtask note is refused`() throws {
        try Workshop.with { workshop in
            try #expect(workshop.problem(compiling: Source.entry) == .noNote)
        }
    }

    @Test func `ELF notes of other owners and types are ignored`() throws {
        try Workshop.with { workshop in
            let owner = try workshop.compile(Source.note(owner: "BGTASK") + Source.entry, to: "libowner.so")
            let type = try workshop.compile(Source.note(type: 2) + Source.entry, to: "libtype.so")
            #expect(problem(in: owner) == .noNote)
            #expect(problem(in: type) == .noNote)
        }
    }

    @Test func `a plugin library for a newer or older ABI major is refused`() throws {
        try Workshop.with { workshop in
            let newer = try workshop.compile(Source.note(major: 2) + Source.entry, to: "libnewer.so")
            let older = try workshop.compile(Source.note(major: 0) + Source.entry, to: "libolder.so")
            #expect(problem(in: newer) == .newerMajor(2))
            #expect(problem(in: older) == .olderMajor(0))
        }
    }

    @Test func `a plugin library that requires a newer ABI minor is refused, with both versions and the remedy`() throws
    {
        try Workshop.with { workshop in
            let required = HostABI.minor + 3
            let path = try workshop.compile(
                "#define BGTASK_TARGET_MINOR \(required)\n" + Source.note(minor: required) + Source.entry
            )
            let error = #expect(throws: PluginBinaryProblem.self) { try PluginBinary.examine(path: path) }
            #expect(error?.kind == .newerMinor(required: required, offered: HostABI.minor))
            #expect(
                error?.description == """
                    library "\(path)" requires ABI 1.\(required); this version of bgtask offers ABI 1.\(HostABI.minor) \
                    (BGT-ABI-02); rebuild it for ABI 1.\(HostABI.minor), in C with BGTASK_TARGET_MINOR \
                    \(HostABI.minor), or upgrade bgtaskd
                    """
            )
        }
    }

    @Test func `a library's wrong ABI version is reported before its missing exports`() throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(Source.note(major: 9) + "int other(void) { return 1; }")
            #expect(problem(in: path) == .newerMajor(9))
        }
    }

    @Test func `identical bgtask notes of two objects count once, and different notes are refused`() throws {
        try Workshop.with { workshop in
            let same = try workshop.compile(Source.note() + Source.note() + Source.entry, to: "libsame.so")
            let other = try workshop.compile(Source.note() + Source.note(minor: 1) + Source.entry, to: "libother.so")
            #expect(problem(in: same) == nil)
            let flaw = "it has two different bgtask notes, so its parts require different ABI versions"
            #expect(problem(in: other) == .damaged(flaw))
        }
    }

    @Test func `a longer bgtask note is read by its first two words, and a shorter note is refused`() throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(Source.note() + Source.entry)
            var bytes = try workshop.bytes(of: path)
            let owner = Array("bgtask\0\0".utf8)
            let at = try #require(bytes.indices.first { bytes[$0...].starts(with: owner) && bytes[$0 - 12] == 7 })
            bytes[at - 8] = 12
            // The note now claims more than its segment holds, which only affects a following note.
            try #expect(workshop.problem(inBytes: bytes) == nil)
            bytes[at - 8] = 4
            try #expect(workshop.problem(inBytes: bytes) == .damaged("its bgtask note has 4 bytes, fewer than 8"))
        }
    }
}
