// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Foundation

// Hosts that do not start, and what is said about them.
extension HostFixture {
    /// Starts a host that must refuse to, and returns its last words.
    package func refusalToStart() async throws -> String {
        try await begin()
        guard let process else { throw HostFailure("there is no host") }
        let ending = try await process.ending()
        let words = process.standardError.elements.joined(separator: "\n")
        if ending != .exited(1) { throw HostFailure("a host that should have refused ended as \(ending): \(words)") }
        return words
    }

    /// Runs `bgtask host check` with what this fixture's host is started with.
    package func check(_ more: String..., with variables: [String: String] = [:]) async throws -> ProgramRun {
        let arguments = ["host", "check"] + arguments + more
        let environment = ProcessInfo.processInfo.environment.merging(variables) { _, own in own }
        return try await ProgramRun.of(BuiltProgram.command.path(), arguments, environment: environment)
    }

    /// Every file of the state folder, but for the index that a write-ahead log's reader makes and the lock.
    package func stateFiles() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: stateFolder)
        where !name.hasSuffix("-shm") && name != "host.lock" {
            files[name] = FileManager.default.contents(atPath: stateFolder + "/" + name)
        }
        return files.filter { !$0.value.isEmpty }
    }
}
