// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginBinary
import Testing

@Suite("A survey reports the properties and the problems of a library")
struct SurveyTests {
    @Test func `the survey of a library with four problems reports all four, the missing note first`() throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(
                "int bgt_a(void) { return 0; } int bgt_b;",
                to: "libplugin.so",
                ["-shared", "-fPIC"]
            )
            let kinds = BinarySurvey(path: path).problems.map(\.kind)
            #expect(kinds.prefix(2) == [.noNote, .entryMissing])
            #expect(Set(kinds.dropFirst(2)) == [.foreignExport("bgt_a"), .foreignExport("bgt_b")])
        }
    }

    @Test func `the survey of a library reports its name, its needed libraries and its search paths`() throws {
        try Workshop.with { workshop in
            let options = [
                "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-soname,libx.so.1", "-Wl,-rpath,/opt/x",
                "-Wl,--no-as-needed",
            ]
            let survey = BinarySurvey(
                path: try workshop.compile(Source.plugin, to: "libplugin.so", options + ["-Wl,-z,relro,-z,now"])
            )
            let traits = try #require(survey.traits)
            #expect(survey.problems.isEmpty && survey.note == BinaryNote(major: 1, requiredMinor: 0, headerMinor: 0))
            #expect(traits.name == "libx.so.1" && traits.searchPaths == ["/opt/x"])
            #expect(traits.needs.contains { $0.hasPrefix("libc.") })
            #expect(traits.relocationProtection == .full)
            #expect(!traits.wantsExecutableStack && !traits.hasTextRelocations)
        }
    }

    @Test func `the survey of a library reports text relocations, an executable stack and missing RELRO`() throws {
        try Workshop.with { workshop in
            let text = "__asm__(\".text\\n.quad bgtask_plugin_entry\");\n"
            let options = ["-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-z,notext", "-Wl,-z,execstack,-z,norelro"]
            let traits = try #require(
                BinarySurvey(path: try workshop.compile(Source.plugin + text, to: "libplugin.so", options)).traits
            )
            #expect(traits.hasTextRelocations && traits.wantsExecutableStack)
            #expect(traits.relocationProtection == .none)
        }
    }
}
