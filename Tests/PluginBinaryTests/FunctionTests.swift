// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import PluginBinary
import Testing

@Suite("Functions that a manifest binds are found in the library without loading it")
struct FunctionTests {
    private func problems(
        _ code: String,
        binding names: [String],
        _ options: [String] = ["-shared", "-fPIC"],
        _ prepare: (Workshop) throws -> [String] = { _ in [] }
    ) throws -> [PluginBinaryProblem.Kind] {
        try Workshop.with { workshop in
            let library = try workshop.compile(code, options + prepare(workshop))
            return BinarySurvey(path: library, for: .functions(names)).problems.map(\.kind)
        }
    }

    @Test func `a library without a note is accepted when it exports the functions that its manifest binds`() throws {
        let code = "int run(void) { return 0; } __attribute__((weak)) int walk(void) { return 0; } int other = 1;"
        #expect(try problems(code, binding: ["run", "walk"]) == [])
        #expect(try problems(code, binding: ["run", "walk"], ["-shared", "-fPIC", "-s"]) == [])
        #expect(try problems(code, binding: ["run"], ["-shared", "-fPIC", "-Wl,--hash-style=sysv"]) == [])
    }

    @Test func `a missing bound function is reported with the most similar export`() throws {
        let code = "int logtrim_run(void) { return 0; } int other(void) { return 0; }"
        #expect(
            try problems(code, binding: ["logtrim_rum", "other", "zzzzzzzz"]) == [
                .symbolMissing("logtrim_rum", nearest: "logtrim_run"), .symbolMissing("zzzzzzzz", nearest: nil),
            ]
        )
        let text = PluginBinaryProblem(path: "/l.so", kind: .symbolMissing("logtrim_rum", nearest: "logtrim_run"))
        #expect(text.message == "library \"/l.so\" does not export \"logtrim_rum\"")
        #expect(text.remedy == "write \"logtrim_run\" if that function is meant")
    }

    @Test func `hidden functions, data and undefined symbols cannot be bound`() throws {
        let code = """
            int data = 1; int puts(const char *);
            __attribute__((visibility("hidden"), used)) int hidden(void) { return puts("x"); }
            __attribute__((used)) static int inside(void) { return 0; }
            """
        #expect(try problems(code, binding: ["data"]) == [.symbolNotAFunction("data")])
        #expect(try problems(code, binding: ["hidden"]) == [.symbolHidden("hidden")])
        #expect(try problems(code, binding: ["inside"]) == [.symbolHidden("inside")])
        #expect(try problems(code, binding: ["puts"]) == [.symbolMissing("puts", nearest: nil)])
    }

    @Test func `an indirect function, which the loader resolves, can be bound`() throws {
        let code = """
            static int slow(void) { return 1; }
            static int (*choose(void))(void) { return slow; }
            int chosen(void) __attribute__((ifunc("choose")));
            """
        #expect(try problems(code, binding: ["chosen"]) == [])
    }

    @Test func `of a versioned function only the default version can be bound`() throws {
        let code = """
            int old_run(void) { return 1; } int new_run(void) { return 2; } int gone_run(void) { return 3; }
            __asm__(".symver old_run, run@V_1"); __asm__(".symver new_run, run@@V_2");
            __asm__(".symver gone_run, gone@V_1");
            """
        let found = try problems(code, binding: ["run", "gone"]) { workshop in
            let script = try workshop.write(
                Array("V_1 { global: run; gone; local: *; }; V_2 { global: run; } V_1;".utf8),
                to: "versions.map"
            )
            return ["-Wl,--version-script=\(script)"]
        }
        #expect(found == [.symbolOutdated("gone")])
    }

    @Test func `functions of the C library can be bound like those of any other library`() throws {
        // The C library has versioned symbols, indirect functions and data, and exists on every machine.
        let maps = try #require(fopen("/proc/self/maps", "r"))
        defer { fclose(maps) }
        var line = [CChar](repeating: 0, count: 4096)
        var path: String?
        while path == nil, fgets(&line, Int32(line.count), maps) != nil {
            let text = line.withUnsafeBufferPointer { $0.baseAddress.map(String.init(cString:)) ?? "" }
            path = text.split(whereSeparator: \.isWhitespace).last.map(String.init).flatMap {
                $0.hasSuffix("/libc.so.6") ? $0 : nil
            }
        }
        let library = try #require(path)
        let survey = BinarySurvey(path: library, for: .functions(["getpid", "strlen", "memcpy", "environ", "strlenn"]))
        #expect(
            survey.problems.map(\.kind) == [
                .symbolNotAFunction("environ"), .symbolMissing("strlenn", nearest: "strlen"),
            ]
        )
    }

    @Test func `a plugin with an entry or a note may not bind functions`() throws {
        #expect(
            try problems(Source.note() + Source.entry + "int run(void) { return 0; }", binding: ["run"])
                == [.noteBesideHandlers, .entryBesideHandlers]
        )
        #expect(try problems(Source.note() + "int run(void) { return 0; }", binding: ["run"]) == [.noteBesideHandlers])
        #expect(try problems(Source.entry + "int run(void) { return 0; }", binding: ["run"]) == [.entryBesideHandlers])
    }

    @Test func `a library without a note is refused, with the remedy to bind its functions as handlers`() throws {
        try Workshop.with { workshop in
            let library = try workshop.compile("int run(void) { return 0; }", ["-shared", "-fPIC"])
            let remedy = BinarySurvey(path: library).problems.first?.remedy ?? ""
            #expect(remedy.hasSuffix("or bind its functions as handlers"))
        }
    }
}
