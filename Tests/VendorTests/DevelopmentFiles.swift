// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Synchronization

/// The files that plugins are built with, installed from this checkout into a directory, as `make install` does.
struct DevelopmentFiles {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    /// The directory in which the library for tests is built, once for all tests. It is beside the built programs.
    private static let library = Task {
        let built = URL(filePath: try BuiltProgram.command.path()).deletingLastPathComponent()
        let place = built.appending(path: "testing-library").path
        try await Tool.succeed("make", ["-s", "-j2", "-C", "\(root.path)/SDK/Testing", "OUT=\(place)"])
        return place
    }

    let prefix: String

    /// Runs `body` with installed files in a directory, which is deleted afterwards.
    static func with<Result>(_ body: (DevelopmentFiles, ScratchDirectory) async throws -> Result) async throws -> Result
    {
        try await ScratchDirectory.with { directory in
            let files = DevelopmentFiles(prefix: directory.file("usr"))
            let arguments = [
                "-s", "-C", "\(root.path)/Packaging", "headers", "development", "PREFIX=\(files.prefix)", "DESTDIR=",
                "TESTING=\(try await library.value)",
            ]
            try await Tool.succeed("make", arguments)
            return try await body(files, directory)
        }
    }

    /// The environment of a vendor who has installed the files under this prefix.
    var environment: [String: String] {
        var environment = Tool.environment
        environment["PKG_CONFIG_PATH"] = "\(prefix)/lib/pkgconfig:\(prefix)/share/pkgconfig"
        environment["CMAKE_PREFIX_PATH"] = prefix
        return environment
    }
}

/// Runs programs as a vendor does, such as `make` and compilers.
enum Tool {
    /// The environment without the settings of a `make` that runs the tests.
    static let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("MAKE") }

    static func isInstalled(_ name: String) -> Bool {
        (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    static func run(
        _ name: String,
        _ arguments: [String],
        in directory: String? = nil,
        environment: [String: String] = environment
    ) async throws -> ProgramRun {
        let place = directory.map { ["-C", $0] } ?? []
        return try await ProgramRun.of(
            "/usr/bin/env",
            place + [name] + arguments,
            environment: environment,
            within: .seconds(300)
        )
    }

    /// Runs a program and throws its messages when it fails.
    @discardableResult
    static func succeed(
        _ name: String,
        _ arguments: [String],
        in directory: String? = nil,
        environment: [String: String] = environment
    ) async throws -> ProgramRun {
        let run = try await run(name, arguments, in: directory, environment: environment)
        guard run.status == 0 else {
            let command = ([name] + arguments).joined(separator: " ")
            throw HostFailure("\(command) ended with \(run.status):\n\(run.output)\(run.error)")
        }
        return run
    }
}
