// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import PluginBinary
import Testing

@Suite("Needed libraries come from the directory of the library or from directories that only root can change")
struct PrivateLibraryTests {
    private static let shared = ["-shared", "-fPIC", "-Wl,--no-as-needed", "-fvisibility=hidden"]
    private static let helper = "int helper(void) { return 1; }"
    private static let user = Source.plugin + "\nint helper(void); int f(void) { return helper(); }"

    private func compile(_ workshop: Workshop, searching path: String, to name: String = "libplugin.so") throws
        -> String
    {
        let options = Self.shared + ["-Wl,-rpath,\(path)"]
        return try workshop.compile(Source.plugin, to: name, options)
    }

    private func refused(_ path: String) -> [String] {
        BinarySurvey(path: path).problems.compactMap { problem in
            guard case .searchPathRefused(let entry, _, _) = problem.kind else { return nil }
            return entry
        }
    }

    @Test(arguments: ["/tmp", "/tmp/absent", "sub", "", "$ORIGIN/..", "/usr/$ORIGIN", "/usr/$LIB/../../tmp"])
    func `a library whose search path users other than root can fill is refused, and the problem names the entry`(
        path: String
    ) throws {
        try Workshop.with { workshop in
            let library = try compile(workshop, searching: "/usr/lib:\(path)")
            #expect(refused(library) == [path])
            #expect(problem(in: library).map { "\($0)".contains("searchPathRefused") } == true)
        }
    }

    @Test(arguments: [
        "$ORIGIN", "${ORIGIN}/private", "$ORIGIN/$LIB", "/usr/lib", "/usr/$LIB", "/usr/lib/absent/deeper",
    ])
    func `a search path below the library's directory or in a directory of root is accepted`(path: String) throws {
        try Workshop.with { workshop in
            let library = try compile(workshop, searching: path)
            #expect(refused(library).isEmpty)
        }
    }

    @Test(arguments: ["-Wl,--enable-new-dtags", "-Wl,--disable-new-dtags"])
    func `a search path in /tmp is refused as RUNPATH and as RPATH`(tags: String) throws {
        try Workshop.with { workshop in
            let library = try workshop.compile(Source.plugin, Self.shared + ["-Wl,-rpath,/tmp", tags])
            #expect(refused(library) == ["/tmp"])
        }
    }

    @Test func `a symbolic link to /tmp counts as changeable by other users than root, and /usr/lib does not`() throws {
        try Workshop.with { workshop in
            // The directory of the test itself is below /tmp or belongs to the user, so no entry in it is accepted.
            let place = workshop.path("link")
            try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: "/tmp")
            #expect(SystemDirectory.weakness(of: place) != nil)
            #expect(SystemDirectory.weakness(of: "/usr/lib") == nil)
        }
    }

    @Test func `a link to a directory of root counts as changeable if others can write a directory on its way`() throws
    {
        try Workshop.with { workshop in
            let (first, second) = (workshop.path("first"), workshop.path("second"))
            try FileManager.default.createSymbolicLink(atPath: second, withDestinationPath: "/usr/lib")
            try FileManager.default.createSymbolicLink(atPath: first, withDestinationPath: second)
            let user = SystemDirectory.Trust.rootAnd(geteuid())
            #expect(SystemDirectory.weakness(of: first, trust: user) == nil)
            chmod(workshop.directory, 0o777)
            let name = FilePlace.name(of: workshop.directory)
            #expect(SystemDirectory.weakness(of: first, trust: user)?.hasSuffix(name) == true)
            #expect(SystemDirectory.weakness(of: "/usr/../usr/./lib/absent", trust: .root) == nil)
            symlink("loop", workshop.path("loop"))
            #expect(SystemDirectory.weakness(of: workshop.path("loop"), trust: user) != nil)
            #expect(SystemDirectory.weakness(of: "/tmp/absent-\(UUID().uuidString)", trust: user) == "/tmp")
        }
    }

    @Test
    func `the libraries that the loader takes from the library's directory, directly or for another one, are listed`()
        throws
    {
        try Workshop.with { workshop in
            let at = ["-L\(workshop.directory)", "-Wl,-rpath,$ORIGIN"]
            let deep = try workshop.compile("int deep(void) { return 1; }", to: "libdeep.so", ["-shared", "-fPIC"])
            let middle = "int deep(void); int helper(void) { return deep(); }"
            let helper = try workshop.compile(
                middle,
                to: "libhelper.so",
                Self.shared + ["-fvisibility=default", "-ldeep"] + at
            )
            let library = try workshop.compile(Self.user, Self.shared + ["-lhelper", "-lz"] + at)
            let privates = PrivateLibraries(of: library)
            #expect(privates.files.map(\.path) == [helper, deep])
            #expect(privates.files.map(\.neededBy) == [nil, helper])
            #expect(privates.problems.isEmpty && privates.consulted.contains(workshop.directory))
        }
    }

    @Test(arguments: ["glibc-hwcaps/x86-64-v3", "tls", "haswell/x86_64"])
    func `a library in a directory for some processors is listed beside the one for all processors`(place: String)
        throws
    {
        try Workshop.with { workshop in
            let at = ["-L\(workshop.directory)", "-Wl,-rpath,$ORIGIN"]
            let helper = try workshop.compile(
                "int helper(void) { return 1; }",
                to: "libhelper.so",
                ["-shared", "-fPIC"]
            )
            let library = try workshop.compile(Self.user, Self.shared + ["-lhelper"] + at)
            let directory = workshop.path(place)
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: helper, toPath: "\(directory)/libhelper.so")
            #expect(PrivateLibraries(of: library).files.map(\.path) == [helper, "\(directory)/libhelper.so"])
        }
    }

    @Test(arguments: ["-Wl,-f,libhelper.so", "-Wl,-F,libhelper.so"])
    func `a library that the linker option -f or -F names is listed like a needed one`(flag: String) throws {
        try Workshop.with { workshop in
            let helper = try workshop.compile(Self.helper, to: "libhelper.so", ["-shared", "-fPIC"])
            let library = try workshop.compile(Source.plugin, Self.shared + ["-Wl,-rpath,$ORIGIN", flag])
            #expect(PrivateLibraries(of: library).files.map(\.path) == [helper])
        }
    }

    @Test func `a private library with a refused search path is a problem of the library that needs it`() throws {
        try Workshop.with { workshop in
            let helper = "int helper(void) { return 1; }"
            _ = try workshop.compile(helper, to: "libhelper.so", ["-shared", "-fPIC", "-Wl,-rpath,/tmp"])
            let at = ["-L\(workshop.directory)", "-Wl,-rpath,$ORIGIN"]
            let library = try workshop.compile(Self.user, Self.shared + ["-lhelper"] + at)
            let found = PrivateLibraries(of: library).problems.map(\.kind)
            let flaw = "can be changed by another user than root"
            #expect(
                found == [.searchPathRefused("/tmp", flaw: flaw, neededBy: workshop.path("libhelper.so"))]
            )
        }
    }

    @Test func `a library that is needed by a relative path is refused with the remedy to give it a soname`() throws {
        try Workshop.with { workshop in
            let options = ["-shared", "-fPIC", "-Wl,-soname,./libhelper.so"]
            _ = try workshop.compile(Self.helper, to: "libhelper.so", options)
            let library = try workshop.compile(Self.user, Self.shared + ["-L\(workshop.directory)", "-lhelper"])
            let found = PrivateLibraries(of: library).problems
            let flaw = "is relative to the working directory"
            #expect(found.map(\.kind) == [.neededPathRefused("./libhelper.so", flaw: flaw, neededBy: nil)])
            #expect(found.first?.remedy.contains("-Wl,-soname") == true)
        }
    }

    @Test func `a library without a search path of its own takes no file from its directory`() throws {
        try Workshop.with { workshop in
            _ = try workshop.compile("int helper(void) { return 1; }", to: "libhelper.so", ["-shared", "-fPIC"])
            let library = try workshop.compile(Self.user, Self.shared + ["-L\(workshop.directory)", "-lhelper"])
            #expect(PrivateLibraries(of: library).files.isEmpty)
        }
    }
}
