// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import StatementTraits
import TaskModel
import Testing

extension LaunchTests {
    @Suite("A plugin may be written in several languages and built by their compilers")
    struct LanguageTests {
        private static let build = (#filePath as NSString).deletingLastPathComponent + "/../Languages/build"
        private static let isMissing: Int32 = 77 << 8

        /// The compilers of the tested languages: those of `make test`, and with `BGTASK_LANGUAGES=all` also those of
        /// `make languages`.
        private static let compilers: [String] = {
            let all = ProcessInfo.processInfo.environment["BGTASK_LANGUAGES"] == "all"
            return ["gcc", "g++", "clang", "clang++", "rustc"]
                + (all ? ["rustc-debian", "go", "gccgo", "gdc", "ldc2", "zig"] : [])
        }()

        @Test(.proves("BGT-ABI-02", "BGT-ABI-04"), arguments: compilers)
        func `the model plugin passes its checks as built by each tested compiler`(compiler: String) async throws {
            try await withScratch { directory in
                let library = "\(directory)/libmodel.so"
                let status = StandIn.spawn([Self.build, compiler, library])
                if status == Self.isMissing { try Test.cancel("\(compiler) is not installed; make languages") }
                try #require(status == 0, "Tests/Languages/build \(compiler) failed")
                let binary = try PluginBinary.examine(path: library)
                #expect(binary.note == BinaryNote(major: 1, requiredMinor: 0, headerMinor: 0))
                try await ModelPlugin.check(
                    library,
                    // The host does not recognize the runtime of gccgo, whose signal handlers it reports.
                    accepting: compiler == "gccgo" ? [.processOfHost] : [],
                    remedy: "compare Tests/Languages with Documentation/Languages.md"
                )
            }
        }
    }
}
