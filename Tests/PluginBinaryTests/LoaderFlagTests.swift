// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import Testing

@Suite("A library that the loader would refuse in a running program, or whose code is writable, is refused")
struct LoaderFlagTests {
    private static let shared = ["-shared", "-fPIC", "-Wl,--no-as-needed"]

    private func loads(_ path: String) -> Bool {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else { return false }
        dlclose(handle)
        return true
    }

    private var plugin: String { Source.note() + Source.entry }

    @Test func `a library that forbids dlopen is refused, as by the loader`() throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(plugin, Self.shared + ["-Wl,-z,nodlopen"])
            #expect(problem(in: path) == .notOpenable(nil))
            #expect(!loads(path))
            #expect(BinarySurvey(path: path).problems.first?.remedy == "link it without -Wl,-z,nodlopen")
        }
    }

    @Test(arguments: ["nodelete", "initfirst", "global", "now", "interpose"])
    func `a library with a loader flag other than nodlopen is accepted, as by the loader`(
        flag: String
    ) throws {
        try Workshop.with { workshop in
            let path = try workshop.compile(plugin, Self.shared + ["-Wl,-z,\(flag)"])
            #expect(problem(in: path) == nil)
            #expect(loads(path))
        }
    }

    @Test func `a needed library that forbids dlopen is a problem that names it, as for the loader`() throws {
        try Workshop.with { workshop in
            let helper = try workshop.compile(
                "int helper(void) { return 1; }",
                to: "libhelper.so",
                Self.shared + ["-Wl,-z,nodlopen"]
            )
            let path = try workshop.compile(
                plugin + "int helper(void); int f(void) { return helper(); }",
                to: "libplugin.so",
                Self.shared + ["-L\(workshop.directory)", "-lhelper", "-Wl,-rpath,$ORIGIN"]
            )
            #expect(problem(in: path) == nil)
            #expect(LibraryLinkage(path: path).problems.map(\.kind) == [.notOpenable(helper)])
            #expect(!loads(path))
        }
    }

    @Test func `a library with text relocations is refused, as a plugin and for bound functions`() throws {
        try Workshop.with { workshop in
            let code = "int run(void) { return 0; }\n__asm__(\".text\\n.quad run\");"
            let options = ["-shared", "-fPIC", "-Wl,-z,notext"]
            let path = try workshop.compile(plugin + code, to: "libplugin.so", options)
            let functions = try workshop.compile(code, to: "libfunctions.so", options)
            #expect(problem(in: path) == .textRelocations)
            #expect(BinarySurvey(path: functions, for: .functions(["run"])).problems.map(\.kind) == [.textRelocations])
        }
    }

    @Test func `a library with thread-local variables in static TLS is accepted, and the survey reports them`() throws {
        try Workshop.with { workshop in
            let code = "__thread int counter; int f(void) { return ++counter; }"
            let fixed = try workshop.compile(plugin + code, Self.shared + ["-ftls-model=initial-exec"])
            #expect(problem(in: fixed) == nil && BinarySurvey(path: fixed).traits?.usesStaticThreadStorage == true)
            let usual = try workshop.compile(plugin + code, Self.shared)
            #expect(BinarySurvey(path: usual).traits?.usesStaticThreadStorage == false)
        }
    }
}
