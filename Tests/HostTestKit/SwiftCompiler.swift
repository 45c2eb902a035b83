// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Compiles Swift as a vendor without a package would: with `swiftc` and only the C header.
package enum SwiftCompiler {
    /// The compiled library of a Swift source in `Tests/SwiftPlugins/Bare`.
    ///
    /// - Parameter flags: additional flags of the compiler, such as `-static-stdlib`.
    package static func library(_ name: String, flags: [String] = []) async throws -> [UInt8] {
        try await ScratchDirectory.with { directory in
            let map = "module CBackgroundTasks { header \"\(include)/bgtask.h\" export * }"
            try directory.write(map.utf8, to: "module.modulemap")
            let library = directory.file("lib\(name).so")
            let run = try await ProgramRun.of(
                "/usr/bin/env",
                ["swiftc", "-emit-library", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors"]
                    + ["-module-name", name, "-I", directory.path, "-o", library]
                    + ["\(tests)/SwiftPlugins/Bare/\(name).swift"] + flags,
                within: .seconds(300)
            )
            guard run.status == 0 else { throw HostFailure("swiftc refused \(name):\n\(run.output)\(run.error)") }
            return Array(try Data(contentsOf: URL(filePath: library)))
        }
    }

    private static let tests = (#filePath as NSString).deletingLastPathComponent + "/.."
    private static let include = tests + "/../SDK/Sources/CBackgroundTasks/include"
}
