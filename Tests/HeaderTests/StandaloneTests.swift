// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@Suite("The header compiles alone, without warnings")
struct StandaloneTests {
    @Test(.enabled(if: Compiler.gcc.isInstalled), arguments: ["c11", "c17"])
    func `the header compiles alone as C with gcc, without warnings`(standard: String) throws {
        try compileAlone(with: .gcc, as: standard)
    }

    @Test(.enabled(if: Compiler.clang.isInstalled), arguments: ["c11", "c17"])
    func `the header compiles alone as C with clang, without warnings`(standard: String) throws {
        try compileAlone(with: .clang, as: standard)
    }

    @Test(.enabled(if: Compiler.gxx.isInstalled), arguments: ["c++17", "c++20"])
    func `the header compiles alone as C++ with g++, without warnings`(standard: String) throws {
        try compileAlone(with: .gxx, as: standard)
    }

    @Test(.enabled(if: Compiler.clangxx.isInstalled), arguments: ["c++17", "c++20"])
    func `the header compiles alone as C++ with clang++, without warnings`(standard: String) throws {
        try compileAlone(with: .clangxx, as: standard)
    }

    /// Compiles the header as the only file of a compilation, and included twice by one file.
    private func compileAlone(with compiler: Compiler, as standard: String) throws {
        let language = ["-x", compiler.isCxx ? "c++" : "c", "-std=\(standard)", "-fsyntax-only"]
        let alone = try compiler.run(Compiler.strict + language + [Header.file.path])
        #expect(alone.status == 0, "\(alone.output)")
        #expect(alone.output.isEmpty)

        let twice = try compiler.check("#include <bgtask.h>\n#include <bgtask.h>\n", standard: standard)
        #expect(twice.status == 0, "\(twice.output)")
        #expect(twice.output.isEmpty)
    }
}
