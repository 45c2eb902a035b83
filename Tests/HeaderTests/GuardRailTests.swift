// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@Suite("The header catches what it can while a plugin compiles")
struct GuardRailTests {
    @Test(.enabled(if: Compiler.gcc.isInstalled))
    func `a target minor that the header does not know stops the build and says what to do`() throws {
        let result = try Compiler.gcc.check("#define BGTASK_TARGET_MINOR 1\n#include <bgtask.h>\n")
        #expect(result.status != 0)
        #expect(result.output.contains("install a newer header"))
    }

    @Test(.enabled(if: Compiler.gcc.isInstalled))
    func `an unlooked-at registration is a warning`() throws {
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

    @Test(.enabled(if: Compiler.gxx.isInstalled), arguments: [Compiler.gxx, .clangxx].filter(\.isInstalled))
    func `BGT-ABI-15 a C++ handler that may throw is refused`(compiler: Compiler) throws {
        let handler = "static void work(void *, const bgt_host *, bgt_task)"
        func use(_ declaration: String) throws -> Tool.Result {
            try compiler.check("#include <bgtask.h>\n\(declaration) {}\nbgt_handler handler = work;\n")
        }
        #expect(try use(handler).status != 0)
        #expect(try use("\(handler) noexcept").status == 0)
    }

    @Test(.enabled(if: Compiler.gcc.isInstalled))
    func `BGTASK_TRY hands on every status but success`() throws {
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
            let program = scratch.folder.appending(path: "try")
            let built = try Compiler.gcc.run(Compiler.strict + ["-std=c11", "-o", program.path, source.path])
            try #require(built.status == 0, "\(built.output)")
            #expect(try Tool.run(program).status == 0)
        }
    }

    @Test(.enabled(if: Compiler.gcc.isInstalled), arguments: ["int32_t added;", "void *added; uint32_t more;"])
    func `BGT-ABI-04 a changed struct stops the build`(member: String) throws {
        let text = try Header.text()
        let changed = text.replacing("uint64_t resources;\n}", with: "uint64_t resources; \(member)\n}")
        #expect(changed != text)
        #expect(try Compiler.gcc.check(changed).output.contains("layout of bgt_request"))
    }

    /// No vendor's own flags may make the header the thing that fails.
    @Test(arguments: [Compiler.gcc, .gxx, .clang, .clangxx].filter(\.isInstalled))
    func `the plugin that the header shows passes stricter flags than the promised ones`(compiler: Compiler) throws {
        var flags = [
            "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Wcast-qual", "-Wundef", "-Wmissing-declarations",
        ]
        if compiler.isCxx { flags.append("-Wold-style-cast") }
        let result = try compiler.check(DocumentedPlugin.source(for: compiler), options: Compiler.strict + flags)
        #expect(result.status == 0, "\(result.output)")
    }
}
