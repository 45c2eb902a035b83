// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

/// The example plugin in the header's first comment, extracted from the header so that no second copy exists.
enum DocumentedPlugin {
    static func source(for compiler: Compiler) throws -> String {
        let margin = " *     "
        let lines = try Header.text().split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0 == "\(margin)#include <bgtask.h>" })
        let code = lines[start...].prefix { $0 == " *" || $0.hasPrefix(margin) }.map { $0.dropFirst(margin.count) }
        let source = code.joined(separator: "\n") + "\n"
        return compiler.isCxx ? source.replacing("bgt_task task) {", with: "bgt_task task) noexcept {") : source
    }

    /// Builds the plugin as the header describes, with additional options, and passes the library to `body`.
    static func withLibrary<Value>(
        from compiler: Compiler,
        options: [String] = [],
        stripped: Bool = false,
        source: String? = nil,
        _ body: (URL, Scratch) throws -> Value
    ) throws -> Value {
        try Scratch.with { scratch in
            let file = try scratch.write(
                source ?? self.source(for: compiler),
                to: compiler.isCxx ? "hello.cc" : "hello.c"
            )
            let library = scratch.directory.appending(path: "libhello.so")
            let built = try compiler.run(
                Compiler.strict + ["-std=\(compiler.baseline)", "-shared", "-fPIC", "-fvisibility=hidden"]
                    + options + ["-o", library.path, file.path]
            )
            try #require(built.status == 0, "\(built.output)")
            if stripped {
                let result = try Tool.run("strip", [library.path])
                try #require(result.status == 0, "\(result.output)")
            }
            return try body(library, scratch)
        }
    }
}
