// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

// Backups of a host and their restore.
extension HostFixture {
    /// Runs `bgtask host backup` or `bgtask host restore` with the arguments of this fixture's host.
    package func archive(_ verb: String, _ file: String, _ more: String...) async throws -> ProgramRun {
        try await ProgramRun.of(BuiltProgram.command.path(), ["host", verb, file] + more + arguments)
    }

    /// Moves the state directory of a stopped host away. Returns its new path.
    package func moveStateAway() throws -> String {
        let away = stateDirectory + ".earlier"
        guard rename(stateDirectory, away) == 0 else { throw HostFailure("\(stateDirectory) cannot be moved") }
        return away
    }
}
