// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

/// A C or C++ compiler that a vendor may have. Never the one that built this test.
enum Compiler: String {
    case gcc
    case gxx = "g++"
    case clang
    case clangxx = "clang++"

    static let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]

    var isInstalled: Bool { Tool.path(of: rawValue) != nil }

    /// False where the linker that can finish this compiler's link-time optimisation is not installed.
    var optimisesAtLinkTime: Bool {
        switch self {
        case .gcc, .gxx: isInstalled
        case .clang, .clangxx: isInstalled && Tool.path(of: "ld.lld") != nil
        }
    }

    var isCxx: Bool { self == .gxx || self == .clangxx }

    /// The oldest standard that the header promises to compile as.
    var baseline: String { isCxx ? "c++17" : "c11" }

    func run(_ arguments: [String]) throws -> Tool.Result {
        try Tool.run(rawValue, arguments + ["-I", Header.folder.path])
    }

    /// Compiles text as a file of this compiler's language, to nothing; says what the compiler said.
    func check(_ text: String, standard: String? = nil, options: [String] = strict) throws -> Tool.Result {
        try Scratch.with { scratch in
            let source = try scratch.write(text, to: isCxx ? "source.cc" : "source.c")
            return try run(options + ["-std=\(standard ?? baseline)", "-S", "-o", "/dev/null", source.path])
        }
    }
}

/// The header under test, as it lies in the source tree.
enum Header {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/CBackgroundTasks/include").standardizedFileURL

    static let file = folder.appending(path: "bgtask.h")

    static func text() throws -> String {
        try String(contentsOf: file, encoding: .utf8)
    }
}
