// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

/// Compiles C as a vendor would: with `cc` and the header alone. Compiles the same thing once per test run.
package enum PluginCompiler {
    /// A library made of one of the plugins in `Tests/MisbehavingPlugins`.
    package static func library(_ name: String, flags: [String] = []) async throws -> [UInt8] {
        try await compile(tests + "/MisbehavingPlugins/\(name).c", ["-shared", "-fPIC", "-pthread"] + flags)
    }

    /// A program at `path`, which nobody but the compiler has written: one that was could not be executed yet.
    package static func program(_ source: String, at path: String, flags: [String] = []) async throws {
        try await ScratchFolder.with { folder in
            try await run(try folder.write(source.utf8, to: "program.c"), to: path, flags)
        }
    }

    /// With these flags, a plugin's tasks stay when they would be over, until they are let go.
    package static let lingering = ["-include", tests + "/MisbehavingPlugins/Lingers.h"]

    private static let tests = (#filePath as NSString).deletingLastPathComponent + "/.."
    private static let include = tests + "/../Sources/CBackgroundTasks/include"

    private struct Job: Hashable {
        let source: String
        let flags: [String]
    }

    private static let jobs = Mutex<[Job: Task<[UInt8], any Error>]>([:])

    private static func compile(_ file: String, _ flags: [String]) async throws -> [UInt8] {
        let job = Job(source: try String(contentsOfFile: file, encoding: .utf8), flags: flags)
        let task = jobs.withLock { jobs in
            if let task = jobs[job] { return task }
            // Shared by whoever asks for it, so it belongs to no one of them.
            let task = Task {
                try await ScratchFolder.with { folder in
                    try await run(file, to: folder.file("result"), flags)
                    return Array(try Data(contentsOf: URL(filePath: folder.file("result"))))
                }
            }
            jobs[job] = task
            return task
        }
        return try await task.value
    }

    private static func run(_ file: String, to result: String, _ flags: [String]) async throws {
        let warnings = ["-std=c11", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror"]
        let run = try await ProgramRun.of("/usr/bin/cc", warnings + ["-I", include, file, "-o", result] + flags)
        guard run.status == 0 else { throw HostFailure("cc refused \(file):\n\(run.error)") }
    }
}
