// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Runs an installed program to its end, without a shell.
enum Tool {
    struct Result {
        let status: Int32
        let output: String
    }

    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is not on the PATH" }
    }

    static let inspectsBinaries = ["objcopy", "readelf", "nm", "strip"].allSatisfy { path(of: $0) != nil }

    static func path(of name: String) -> URL? {
        let directories = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return directories.split(separator: ":")
            .map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    static func run(_ name: String, _ arguments: [String]) throws -> Result {
        guard let executable = path(of: name) else { throw Missing(name: name) }
        return try run(executable, arguments)
    }

    static func run(_ executable: URL, _ arguments: [String] = []) throws -> Result {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        // Reads before it waits: a full pipe would block the program forever.
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Result(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
    }
}

/// A temporary directory that exists until the closure returns.
struct Scratch {
    let directory: URL

    static func with<Value>(_ body: (Scratch) throws -> Value) throws -> Value {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bgtask-header-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        return try body(Scratch(directory: directory))
    }

    func write(_ text: String, to name: String) throws -> URL {
        let file = directory.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file
    }
}
