// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import Testing

@Suite("The linkage of a library predicts from the files whether the loader accepts it")
struct LinkageTests {
    // Without --as-needed, which would drop a library that stands before the source.
    private static let shared = ["-shared", "-fPIC", "-Wl,--no-as-needed"]

    private func kinds(_ problems: [PluginBinaryProblem]) -> [PluginBinaryProblem.Kind] { problems.map(\.kind) }

    /// The message of the loader for the library; nil when it loads it.
    private func refusal(of path: String) throws -> String? {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else { return dlerror().map { String(cString: $0) } }
        dlclose(handle)
        return nil
    }

    @Test func `an undefined symbol is a problem that names it, unless the symbol is weak`() throws {
        try Workshop.with { workshop in
            let calls = """
                int missing_function(void); int bgt_strong(void); __attribute__((weak)) int bgt_weak(void);
                int f(void) { return missing_function() + bgt_strong() + (bgt_weak ? bgt_weak() : 0); }
                """
            let path = try workshop.compile(Source.plugin + "\n" + calls, to: "libplugin.so", Self.shared)
            let linkage = LibraryLinkage(path: path)
            #expect(
                Set(kinds(linkage.problems)) == [
                    .symbolUndefined("missing_function", usedBy: nil), .symbolUndefined("bgt_strong", usedBy: nil),
                ]
            )
            #expect(linkage.doubts.isEmpty)
            #expect(try refusal(of: path)?.contains("undefined symbol") == true)
            let ours = try #require(linkage.problems.first { $0.message.contains("bgt_strong") })
            #expect(ours.remedy.contains("through its table"))
        }
    }

    @Test func `an undefined symbol to which no relocation refers is no problem, as for the loader`() throws {
        try Workshop.with { workshop in
            let options = Self.shared + ["-Wl,-u,unused_symbol"]
            let path = try workshop.compile(Source.plugin, to: "libplugin.so", options)
            #expect(LibraryLinkage(path: path).problems.isEmpty)
            #expect(try refusal(of: path) == nil)
        }
    }

    @Test func `a needed library that the loader does not find is a problem that names it`() throws {
        try Workshop.with { workshop in
            _ = try workshop.compile("int helper(void) { return 1; }", to: "libhelper.so", Self.shared)
            let source = Source.plugin + "\nint helper(void); int f(void) { return helper(); }"
            let options = Self.shared + ["-L\(workshop.directory)", "-lhelper"]
            let alone = try workshop.compile(source, to: "libplugin.so", options)
            #expect(kinds(LibraryLinkage(path: alone).problems) == [.dependencyMissing("libhelper.so", neededBy: nil)])
            #expect(try refusal(of: alone)?.contains("libhelper.so") == true)
        }
    }

    @Test(arguments: ["-Wl,--enable-new-dtags", "-Wl,--disable-new-dtags"])
    func `a needed library beside the library is found by $ORIGIN, but not from another directory`(tags: String) throws
    {
        try Workshop.with { workshop in
            _ = try workshop.compile("int helper(void) { return 1; }", to: "libhelper.so", Self.shared)
            let source = Source.plugin + "\nint helper(void); int f(void) { return helper(); }"
            let options = Self.shared + ["-L\(workshop.directory)", "-lhelper", "-Wl,-rpath,$ORIGIN", tags]
            let path = try workshop.compile(source, to: "libplugin.so", options)
            #expect(LibraryLinkage(path: path) == LibraryLinkage(path: "/nonexistent"))
            #expect(try refusal(of: path) == nil)
            #expect(
                kinds(LibraryLinkage(path: path, origin: "/nonexistent").problems)
                    == [.dependencyMissing("libhelper.so", neededBy: nil)]
            )
        }
    }

    @Test func `a problem of a needed library names that library`() throws {
        try Workshop.with { workshop in
            let gap = "int nowhere(void); int helper(void) { return nowhere(); }"
            let helper = try workshop.compile(gap, to: "libhelper.so", Self.shared)
            let source = Source.plugin + "\nint helper(void); int f(void) { return helper(); }"
            let options =
                Self.shared + [
                    "-L\(workshop.directory)", "-lhelper", "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined",
                ]
            let path = try workshop.compile(source, to: "libplugin.so", options)
            #expect(kinds(LibraryLinkage(path: path).problems) == [.symbolUndefined("nowhere", usedBy: helper)])
        }
    }

    @Test func `RPATH of a library applies to the libraries that its needed libraries need, RUNPATH does not`() throws {
        try Workshop.with { workshop in
            _ = try workshop.compile("int deep(void) { return 1; }", to: "libdeep.so", Self.shared)
            let middle = "int deep(void); int helper(void) { return deep(); }"
            let at = ["-L\(workshop.directory)"]
            let helper = try workshop.compile(middle, to: "libhelper.so", Self.shared + at + ["-ldeep"])
            let source = Source.plugin + "\nint helper(void); int f(void) { return helper(); }"
            let common = Self.shared + at + ["-lhelper", "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined"]
            let inherited = try workshop.compile(source, to: "liba.so", common + ["-Wl,--disable-new-dtags"])
            let own = try workshop.compile(source, to: "libb.so", common + ["-Wl,--enable-new-dtags"])
            let missing = PluginBinaryProblem.Kind.dependencyMissing("libdeep.so", neededBy: helper)
            #expect(kinds(LibraryLinkage(path: own).problems) == [missing])
            // Before the other library, because the loader of this process keeps libdeep.so.
            #expect(try refusal(of: own)?.contains("libdeep.so") == true)
            #expect(LibraryLinkage(path: inherited).problems.isEmpty)
            #expect(try refusal(of: inherited) == nil)
        }
    }

    @Test func `a library that uses pow without naming the math library as needed has no linkage problem`() throws {
        try Workshop.with { workshop in
            let source = "double pow(double, double); double f(double x) { return pow(x, x); }"
            let path = try workshop.compile(source, to: "libplugin.so", Self.shared + ["-nostdlib"])
            #expect(LibraryLinkage(path: path).problems.isEmpty)
        }
    }

    @Test func `a needed library that is not found is a doubt, not a problem, if the search path has $PLATFORM`() throws
    {
        try Workshop.with { workshop in
            _ = try workshop.compile("int helper(void) { return 1; }", to: "libhelper.so", Self.shared)
            let source = Source.plugin + "\nint helper(void); int f(void) { return helper(); }"
            let options = Self.shared + ["-L\(workshop.directory)", "-lhelper", "-Wl,-rpath,$ORIGIN/$PLATFORM"]
            let linkage = LibraryLinkage(path: try workshop.compile(source, to: "libplugin.so", options))
            #expect(linkage.problems.isEmpty)
            #expect(kinds(linkage.doubts).contains(.dependencyMissing("libhelper.so", neededBy: nil)))
        }
    }

    @Test func `a filtered library that the loader does not find is a problem, an auxiliary one is not`() throws {
        try Workshop.with { workshop in
            let filter = try workshop.compile(
                Source.plugin,
                to: "libfilter.so",
                Self.shared + ["-Wl,--filter=libnowhere.so"]
            )
            let missing = PluginBinaryProblem.Kind.dependencyMissing("libnowhere.so", neededBy: nil)
            #expect(kinds(LibraryLinkage(path: filter).problems) == [missing])
            #expect(try refusal(of: filter)?.contains("libnowhere.so") == true)
            let auxiliary = try workshop.compile(
                Source.plugin,
                to: "libauxiliary.so",
                Self.shared + ["-Wl,--auxiliary=libnowhere.so"]
            )
            #expect(LibraryLinkage(path: auxiliary).problems.isEmpty)
            #expect(try refusal(of: auxiliary) == nil)
        }
    }

    @Test func `a missing library is a problem although another library names it as auxiliary`() throws {
        try Workshop.with { workshop in
            let at = ["-L\(workshop.directory)"]
            _ = try workshop.compile("int deep(void) { return 1; }", to: "libdeep.so", Self.shared)
            let middle = "int deep(void); int helper(void) { return deep(); }"
            let helper = try workshop.compile(middle, to: "libhelper.so", Self.shared + at + ["-ldeep"])
            let options = [
                "-lhelper", "-Wl,-rpath,$ORIGIN", "-Wl,--allow-shlib-undefined", "-Wl,--auxiliary=libdeep.so",
            ]
            let source = Source.plugin + "\nint helper(void); int f(void) { return helper(); }"
            let path = try workshop.compile(source, to: "libplugin.so", Self.shared + at + options)
            try FileManager.default.removeItem(atPath: workshop.path("libdeep.so"))
            #expect(kinds(LibraryLinkage(path: path).problems) == [.dependencyMissing("libdeep.so", neededBy: helper)])
        }
    }

    @Test(arguments: ["curl", "stdc++", "xml2", "sqlite3"])
    func `a library of the system that is linked into a plugin causes no problem`(name: String) throws {
        try Workshop.with { workshop in
            let options = Self.shared + ["-l\(name)"]
            let path = try workshop.compile(Source.plugin, to: "libplugin.so", options)
            #expect(LibraryLinkage(path: path) == LibraryLinkage(path: "/nonexistent"))
        }
    }

    @Test func `the linkage of a library with a changed byte or a cut end is determined without a trap`() throws {
        try Workshop.with { workshop in
            let bytes = try workshop.bytes(of: try workshop.compile(Source.plugin))
            for offset in stride(from: 64, to: min(bytes.count, 4096), by: 7) {
                var damaged = bytes
                damaged[offset] ^= 0xff
                _ = LibraryLinkage(path: try workshop.write(damaged))
            }
            for length in stride(from: 0, to: bytes.count, by: 997) {
                _ = LibraryLinkage(path: try workshop.write(Array(bytes.prefix(length))))
            }
        }
    }
}
