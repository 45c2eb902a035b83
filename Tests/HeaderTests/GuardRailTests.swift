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
    func `BGTASK_TRY returns from the function with every status except success`() throws {
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
    func `a member added to bgt_request stops the build with the message layout of bgt_request`(member: String) throws {
        let text = try Header.text()
        let changed = text.replacing("uint64_t resources;\n}", with: "uint64_t resources; \(member)\n}")
        #expect(changed != text)
        #expect(try Compiler.gcc.check(changed).output.contains("layout of bgt_request"))
    }

    /// The header compiles without warnings under a vendor's stricter flags.
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
