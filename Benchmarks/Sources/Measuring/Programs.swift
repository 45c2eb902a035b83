// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The two directories that are passed to a benchmark.
package struct Programs: Sendable {
    /// Directory of `bgtaskd`, `bgtask-runner` and `bgtask`.
    package let host: String
    /// Directory of the libraries and programs built from `Benchmarks/Plugins`, and of the measured figures.
    package let bench: String

    package init(host: String, bench: String) { (self.host, self.bench) = (host, bench) }

    /// Runs a program to its end, with its output discarded. No library is used, whose time would be measured as well.
    ///
    /// - Returns: nanoseconds from the spawn to the end.
    package static func duration(of program: String, _ arguments: [String]) throws -> Int64 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var (pid, status): (pid_t, Int32) = (0, 0)
        let start = monotonicNow()
        guard posix_spawn(&pid, program, &actions, nil, &words, environ) == 0, waitpid(pid, &status, 0) == pid,
            status == 0
        else { throw BenchmarkError("\(program) \(arguments.joined(separator: " ")) failed: \(status)") }
        return monotonicNow() - start
    }

    /// Runs a program to its end.
    ///
    /// - Returns: its standard output.
    @discardableResult
    package static func output(of program: String, _ arguments: [String], input: String? = nil) throws -> String {
        try start(program, arguments, input: input)()
    }

    /// Starts a program.
    ///
    /// - Returns: a function that waits for the end of the program and returns its standard output. Until it is called,
    ///   the output has to fit into a pipe.
    package static func start(
        _ program: String,
        _ arguments: [String],
        input: String? = nil
    ) throws -> () throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        let (output, source) = (Pipe(), input.map { _ in Pipe() })
        process.standardOutput = output
        if let source { process.standardInput = source }
        try process.run()
        if let source, let input {
            source.fileHandleForWriting.write(Data(input.utf8))
            try source.fileHandleForWriting.close()
        }
        return {
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                let command = "\(program) \(arguments.joined(separator: " "))"
                throw BenchmarkError("\(command) failed: \(process.terminationStatus)")
            }
            return text
        }
    }
}
