// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

/// Compiles C and C++ as a vendor would: with `cc` or `c++` and only the header. Each library is compiled once per test
/// run for each set of flags.
package enum PluginCompiler {
    /// The compiled library of a plugin in `Tests/MisbehavingPlugins`.
    package static func library(_ name: String, flags: [String] = []) async throws -> [UInt8] {
        let source = "\(plugins)/\(name)"
        let isC = FileManager.default.fileExists(atPath: source + ".c")
        return try await compile(source + (isC ? ".c" : ".cpp"), ["-shared", "-fPIC", "-pthread"] + flags)
    }

    /// Compiles a program directly to `path`. A file that this process writes itself could not be executed while its
    /// descriptor is open.
    package static func program(_ source: String, at path: String, flags: [String] = []) async throws {
        try await ScratchDirectory.with { directory in
            try await run(try directory.write(source.utf8, to: "program.c"), to: path, flags)
        }
    }

    /// Flags of the compiler that make the tasks of a plugin linger after their work, until the test lets them
    /// complete.
    package static let lingering = ["-include", tests + "/MisbehavingPlugins/Lingers.h"]

    /// The directory of the plugins that tests compile.
    package static let plugins = tests + "/MisbehavingPlugins"

    private static let tests = (#filePath as NSString).deletingLastPathComponent + "/.."
    private static let include = tests + "/../SDK/Sources/CBackgroundTasks/include"

    private struct Job: Hashable {
        let source: String
        let flags: [String]
    }

    private static let jobs = Mutex<[Job: Task<[UInt8], any Error>]>([:])

    private static func compile(_ file: String, _ flags: [String]) async throws -> [UInt8] {
        let job = Job(source: try String(contentsOfFile: file, encoding: .utf8), flags: flags)
        let task = jobs.withLock { jobs in
            if let task = jobs[job] { return task }
            // Shared by all callers, so that the cancellation of one does not cancel it.
            let task = Task {
                try await ScratchDirectory.with { directory in
                    try await run(file, to: directory.file("result"), flags)
                    return Array(try Data(contentsOf: URL(filePath: directory.file("result"))))
                }
            }
            jobs[job] = task
            return task
        }
        return try await task.value
    }

    private static func run(_ file: String, to result: String, _ flags: [String]) async throws {
        let isC = file.hasSuffix(".c")
        let warnings = (isC ? ["-std=c11", "-D_DEFAULT_SOURCE"] : ["-std=c++17"]) + ["-Wall", "-Wextra", "-Werror"]
        let run = try await ProgramRun.of(
            isC ? "/usr/bin/cc" : "/usr/bin/c++",
            warnings + ["-I", include, file, "-o", result] + flags
        )
        guard run.status == 0 else { throw HostFailure("cc refused \(file):\n\(run.error)") }
    }
}
