// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

/// A C or C++ compiler as vendors use it, started as a program. It is not the compiler that built this test.
enum Compiler: String {
    case gcc
    case gxx = "g++"
    case clang
    case clangxx = "clang++"

    static let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

    var isInstalled: Bool { Tool.path(of: rawValue) != nil }

    /// Whether link-time optimization works: the linker that the compiler needs for it is installed.
    var optimisesAtLinkTime: Bool {
        switch self {
        case .gcc, .gxx: isInstalled
        case .clang, .clangxx: isInstalled && Tool.path(of: "ld.lld") != nil
        }
    }

    var isCxx: Bool { self == .gxx || self == .clangxx }

    /// The oldest language standard in which the header has to compile.
    var baseline: String { isCxx ? "c++17" : "c11" }

    func run(_ arguments: [String]) throws -> Tool.Result {
        try Tool.run(rawValue, arguments + ["-I", Header.directory.path])
    }

    /// Compiles the text as a file of this compiler's language, without an output file. Returns the compiler's status
    /// and messages.
    func check(_ text: String, standard: String? = nil, options: [String] = strict) throws -> Tool.Result {
        try Scratch.with { scratch in
            let source = try scratch.write(text, to: isCxx ? "source.cc" : "source.c")
            return try run(options + ["-std=\(standard ?? baseline)", "-S", "-o", "/dev/null", source.path])
        }
    }
}

/// The header under test, in the source checkout.
enum Header {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../SDK/Sources/CBackgroundTasks/include").standardizedFileURL

    static let file = directory.appending(path: "bgtask.h")

    static func text() throws -> String {
        try String(contentsOf: file, encoding: .utf8)
    }
}
