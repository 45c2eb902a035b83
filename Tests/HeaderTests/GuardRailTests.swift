// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import StatementTraits
import Testing

@Suite("The header catches mistakes while a plugin compiles")
struct GuardRailTests {
    @Test(.enabled(if: Compiler.gcc.isInstalled))
    func `a target minor version newer than the header's stops the build with a remedy`() throws {
        let result = try Compiler.gcc.check("#define BGTASK_TARGET_MINOR 1\n#include <bgtask.h>\n")
        #expect(result.status != 0)
        #expect(result.output.contains("install a newer bgtask.h"))
    }

    @Test(.proves("BGT-ABI-02"), .enabled(if: Compiler.gcc.isInstalled))
    func `a target minor version that is defined after the include stops the build with a remedy`() throws {
        let late = """
            #include <bgtask.h>
            #undef BGTASK_TARGET_MINOR
            #define BGTASK_TARGET_MINOR 7
            BGTASK_PLUGIN_ENTRY(host, plugin) { return BGT_OK; }

            """
        #expect(try Compiler.gcc.check(late).output.contains("define BGTASK_TARGET_MINOR before bgtask.h"))
    }

    @Test(
        .proves("BGT-ABI-02"),
        .enabled(if: Compiler.gcc.isInstalled),
        arguments: ["0", "0u", "(0)", "0x0", "(1 - 1)", "BGTASK_ABI_MINOR"]
    )
    func `a target minor version may be a decimal, hexadecimal or parenthesized number, an expression or a macro`(
        target: String
    ) throws {
        let text = """
            #define BGTASK_TARGET_MINOR \(target)
            #include <bgtask.h>
            BGTASK_PLUGIN_ENTRY(host, plugin) { return BGT_OK; }

            """
        for compiler in [Compiler.gcc, .gxx, .clang, .clangxx] where compiler.isInstalled {
            let result = try compiler.check(text, options: Compiler.strict + ["-Wconversion", "-Wsign-compare"])
            #expect(result.status == 0, "\(compiler): \(result.output)")
        }
    }

    @Test(.proves("BGT-ABI-03"), .enabled(if: Compiler.gcc.isInstalled))
    func `BGTASK_HAS is true for a member of a struct only if the struct's size reaches the end of the member`() throws
    {
        try Scratch.with { scratch in
            let source = try scratch.write(
                """
                #include <bgtask.h>
                int main(void) {
                    bgt_plugin plugin = {.size = offsetof(bgt_plugin, quiet_ns)};
                    const bgt_plugin *address = &plugin;
                    const int shorter = BGTASK_HAS(address, quiet_ns) || !BGTASK_HAS(address, stop);
                    plugin.size = sizeof plugin;
                    return shorter || !BGTASK_HAS(address, quiet_ns);
                }

                """,
                to: "has.c"
            )
            let program = scratch.directory.appending(path: "has")
            let built = try Compiler.gcc.run(Compiler.strict + ["-std=c11", "-o", program.path, source.path])
            try #require(built.status == 0, "\(built.output)")
            #expect(try Tool.run(program).status == 0)
        }
    }

    @Test(.enabled(if: Compiler.gcc.isInstalled))
    func `the header with BGTASK_DECLARATIONS_ONLY contains neither inline functions nor static assertions`() throws {
        let text = "#define BGTASK_DECLARATIONS_ONLY\n#include <bgtask.h>\n"
        for compiler in [Compiler.gcc, .gxx, .clang, .clangxx] where compiler.isInstalled {
            try Scratch.with { scratch in
                let source = try scratch.write(text, to: compiler.isCxx ? "source.cc" : "source.c")
                let output = try compiler.run(["-std=\(compiler.baseline)", "-E", "-P", source.path]).output
                let own = output.split(separator: "typedef struct bgt_host").last ?? ""
                #expect(!own.contains("tatic_assert") && !own.contains("static inline") && own.contains("bgt_request"))
            }
        }
    }

    @Test(.enabled(if: Compiler.gcc.isInstalled))
    func `an ignored status of bgt_register causes a compiler warning`() throws {
        let text = """
            #include <bgtask.h>
            static void work(void *context, const bgt_host *host, bgt_task task) {
                (void)context;
                bgt_complete(host, task, BGT_OUTCOME_SUCCESS);
            }
            BGTASK_PLUGIN_ENTRY(host, plugin) {
                \(Self.registration)
                return BGT_OK;
            }

            """
        #expect(try Compiler.gcc.check(text).output.contains("bgt_register"))
        let looked = text.replacing(Self.registration, with: "BGTASK_TRY(\(Self.registration.dropLast()));")
        #expect(try Compiler.gcc.check(looked).status == 0)
    }

    private static let registration = #"bgt_register(host, "com.example.work", work, NULL);"#

    @Test(
        .proves("BGT-ABI-15"),
        .enabled(if: Compiler.gxx.isInstalled),
        arguments: [Compiler.gxx, .clangxx].filter(\.isInstalled)
    )
    func `a C++ handler without noexcept is refused by the compiler`(compiler: Compiler) throws {
        let handler = "static void work(void *, const bgt_host *, bgt_task)"
        func use(_ declaration: String) throws -> Tool.Result {
            try compiler.check("#include <bgtask.h>\n\(declaration) {}\nbgt_handler handler = work;\n")
        }
        #expect(try use(handler).status != 0)
        #expect(try use("\(handler) noexcept").status == 0)
    }

    @Test(.enabled(if: Compiler.gcc.isInstalled))
    func `BGTASK_TRY returns a positive or negative status from the function, and continues after success`() throws {
        try Scratch.with { scratch in
            let source = try scratch.write(
                """
                #include <bgtask.h>
                static int32_t attempt(int32_t status) {
                    BGTASK_TRY(status);
                    return 77;
                }
                int main(void) {
                    return !(attempt(BGT_OK) == 77 && attempt(BGT_DUPLICATE) == BGT_DUPLICATE && attempt(-5) == -5);
                }

                """,
                to: "try.c"
            )
            let program = scratch.directory.appending(path: "try")
            let built = try Compiler.gcc.run(Compiler.strict + ["-std=c11", "-o", program.path, source.path])
            try #require(built.status == 0, "\(built.output)")
            #expect(try Tool.run(program).status == 0)
        }
    }

    @Test(
        .proves("BGT-ABI-04"),
        .enabled(if: Compiler.gcc.isInstalled),
        arguments: ["int32_t added;", "void *added; uint32_t more;"]
    )
    func `a member added to bgt_request stops the build with a message that names its layout, the rule and the remedy`(
        member: String
    ) throws {
        let text = try Header.text()
        let changed = text.replacing("} bgt_request;", with: "\(member)\n} bgt_request;")
        #expect(changed != text)
        let output = try Compiler.gcc.check(changed).output
        #expect(output.contains("layout of bgt_request: built plugins rely on it"))
        #expect(output.contains("add members only at the end of a struct, and raise BGTASK_ABI_MINOR"))
    }

    @Test(arguments: [Compiler.gcc, .gxx, .clang, .clangxx].filter(\.isInstalled))
    func `the header's example plugin compiles under stricter warning flags than the documented ones`(
        compiler: Compiler
    ) throws {
        var flags = [
            "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wcast-qual", "-Wundef", "-Wmissing-declarations",
        ]
        if compiler.isCxx { flags.append("-Wold-style-cast") }
        let result = try compiler.check(DocumentedPlugin.source(for: compiler), options: Compiler.strict + flags)
        #expect(result.status == 0, "\(result.output)")
    }
}
