// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation

// Hosts that do not start, and their diagnosis.
extension HostFixture {
    /// Starts a host that has to refuse to start, and returns its standard error.
    package func refusalToStart() async throws -> String {
        try await begin()
        guard let process else { throw HostFailure("there is no host") }
        let ending = try await process.ending()
        let words = process.standardError.elements.joined(separator: "\n")
        if ending != .exited(1) { throw HostFailure("a host that should have refused ended as \(ending): \(words)") }
        return words
    }

    /// Runs `bgtask host check` with the arguments of this fixture's host.
    package func check(_ more: String..., with variables: [String: String] = [:]) async throws -> ProgramRun {
        let arguments = ["host", "check"] + arguments + more
        let environment = ProcessInfo.processInfo.environment.merging(variables) { _, own in own }
        return try await ProgramRun.of(BuiltProgram.command.path(), arguments, environment: environment)
    }

    /// The contents of all files in the state directory by name, except the shared-memory index of the write-ahead log,
    /// the lock and empty files.
    package func stateFiles() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: stateDirectory)
        where !name.hasSuffix("-shm") && name != "host.lock" {
            files[name] = FileManager.default.contents(atPath: stateDirectory + "/" + name)
        }
        return files.filter { !$0.value.isEmpty }
    }
}
