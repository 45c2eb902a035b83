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

    @Test func `a plugin library for newer or older ABI majors alone is refused, with its majors`() throws {
        try Workshop.with { workshop in
            let newer = try workshop.compile(Source.note(major: 2) + Source.entry, to: "libnewer.so")
            let older = try workshop.compile(Source.note(major: 0) + Source.entry, to: "libolder.so")
            let both = Source.note(major: 3) + Source.note(major: 0) + Source.note(major: 3)
            let several = try workshop.compile(both + Source.entry, to: "libseveral.so")
            #expect(problem(in: newer) == .newerMajors([2]))
            #expect(problem(in: older) == .olderMajors([0]))
            #expect(problem(in: several) == .newerMajors([0, 3]))
            let survey = BinarySurvey(path: several)
            #expect(survey.note == nil && survey.otherMajors == [0, 3])
            #expect(
                survey.problems.first?.message.hasSuffix(
                    "is built for ABI major versions 0, 3; this version of bgtask offers ABI 1.0 (BGT-ABI-02)"
                ) == true
            )
        }
    }

    @Test func `ABI notes of other majors are skipped before and after a note of the host's major`() throws {
        try Workshop.with { workshop in
            let (ours, next) = (Source.note(), Source.note(major: 2, minor: 7))
            for (name, notes) in [
                ("first", ours + next), ("last", next + ours), ("odd", Source.note(words: [2]) + ours),
            ] {
                let path = try workshop.compile(notes + Source.entry, to: "lib\(name).so")
                #expect(problem(in: path) == nil, "\(name)")
                let survey = BinarySurvey(path: path)
                #expect(survey.note == BinaryNote(major: 1, requiredMinor: 0, headerMinor: 0))
                #expect(survey.otherMajors == [2])
            }
        }
    }

    @Test func `the minor version of the header that a plugin was built with is read from the plugin's note`() throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(Source.note(minor: 0, header: 3) + Source.entry)
            #expect(try PluginBinary.examine(path: path).note.headerMinor == 3)
        }
    }

    @Test func `a note that requires a newer minor than its header's is refused`() throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(Source.note(minor: 2, header: 1) + Source.entry)
            #expect(
                problem(in: path)
                    == .damaged("its bgtask note requires minor 2, which is newer than its header's minor 1")
            )
        }
    }

    @Test(arguments: [0, 4, 8])
    func `a note of this host's major with less than 12 bytes is refused`(size: Int) throws {
        try Workshop.with { workshop in
            let words = Array([1, 0].prefix(size / 4))
            let path = try workshop.compile(Source.note(words: words) + Source.entry)
            let missing = size == 0 ? ", which hold no major version" : " instead of 12"
            #expect(problem(in: path) == .damaged("its bgtask note has \(size) bytes\(missing)"))
        }
    }

    @Test func `of a bgtask note with five words the first three are read`() throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(Source.note(words: [1, 0, 5, 77, 78]) + Source.entry)
            #expect(problem(in: path) == nil)
            #expect(BinarySurvey(path: path).note == BinaryNote(major: 1, requiredMinor: 0, headerMinor: 5))
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
            #expect(problem(in: path) == .newerMajors([9]))
        }
    }

    @Test func `identical bgtask notes of two objects count once, and different notes are refused`() throws {
        try Workshop.with { workshop in
            let same = try workshop.compile(Source.note() + Source.note() + Source.entry, to: "libsame.so")
            let other = try workshop.compile(Source.note() + Source.note(minor: 1) + Source.entry, to: "libother.so")
            #expect(problem(in: same) == nil)
            #expect(problem(in: other) == .damaged("it has two different bgtask notes for ABI major version 1"))
        }
    }
}
