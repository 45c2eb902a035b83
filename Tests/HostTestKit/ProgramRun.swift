// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// A program that ran to its end, with its output.
package struct ProgramRun: Sendable {
    /// The exit code; for a program killed by a signal, 128 plus the signal's number, as in shells.
    package let status: Int32
    package let output: String
    package let error: String

    package static func of(
        _ program: String,
        _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        within limit: Duration = .seconds(60)
    ) async throws -> ProgramRun {
        let child = try await ChildProcess.start(program, arguments, environment: environment)
        let status: Int32 =
            switch try await child.ending(within: limit) {
            case .exited(let code): code
            case .signaled(let signal): 128 + signal
            }
        return ProgramRun(
            status: status,
            output: child.standardOutput.elements.map { $0 + "\n" }.joined(),
            error: child.standardError.elements.map { $0 + "\n" }.joined()
        )
    }

    /// Runs a command to its end on the calling thread, with the standard streams of this process.
    ///
    /// - Parameter command: the program, by path or by its name in `PATH`, and its arguments.
    /// - Throws: `HostFailure` when the program does not start, or its status is not 0.
    package static func requireSuccess(of command: [String]) throws {
        var arguments = command.map { strdup($0) }
        arguments.append(nil)
        defer { arguments.forEach { free($0) } }
        var child: pid_t = 0
        guard posix_spawnp(&child, command[0], nil, nil, arguments, environ) == 0 else {
            throw HostFailure("\(command[0]) is not installed")
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw HostFailure("\(command.joined(separator: " ")) ended with status \(status)") }
    }
}

/// The programs under test, which are in the directory of the test binary.
package enum BuiltProgram: String, Sendable {
    case host = "bgtaskd"
    case command = "bgtask"
    case runner = "bgtask-runner"
    case feeder = "bgtask-feeder"

    /// The directory of the built products.
    static func directory() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return (own as NSString).deletingLastPathComponent
    }

    package func path() throws -> String {
        let path = try Self.directory() + "/" + rawValue
        if FileManager.default.isExecutableFile(atPath: path) { return path }
        throw HostFailure("there is no \(path); build it first: swift build --build-tests")
    }
}
