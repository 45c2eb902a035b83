// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import ControlAPI
import ControlClient
import Foundation
package import TaskModel

// Calls of users and programs to the host.
extension HostFixture {
    /// Submits a request as the command `bgtask task submit` does, and returns its submission number.
    @discardableResult
    package func submit(
        _ task: String,
        _ kind: TaskKind = .processing,
        earliestBegin: WallTime? = nil,
        requiresNetwork: Bool = false,
        requiresExternalPower: Bool = false,
        payload: [UInt8] = []
    ) async throws -> Int64 {
        let request = TaskRequest(
            identifier: try identifier(task),
            kind: kind,
            earliestBegin: earliestBegin,
            requiresNetwork: requiresNetwork,
            requiresExternalPower: requiresExternalPower
        )
        return try await client.submit(TaskSubmission(request, payload: payload)).submission
    }

    /// Submits a continued request on behalf of a user, outside of any launch.
    @discardableResult
    package func submitContinued(
        _ task: String,
        _ terms: ContinuedTerms = ContinuedTerms(title: "Export", subtitle: "album 7"),
        payload: [UInt8] = []
    ) async throws -> Int64 {
        let request = TaskRequest(identifier: try identifier(task), kind: .continued, continued: terms)
        return try await client.submit(TaskSubmission(request, payload: payload)).submission
    }

    package func why(_ task: String) async throws -> TaskWhyReply { try await client.why(identifier(task)) }

    package func show(_ plugin: TestPlugin) async throws -> PluginReply {
        guard let identifier = PluginIdentifier(plugin.identifier) else { throw HostFailure("no identifier") }
        return try await client.plugin(identifier)
    }

    package func identifier(_ text: String) throws -> TaskIdentifier {
        guard let identifier = TaskIdentifier(text) else { throw HostFailure("\(text) is not an identifier") }
        return identifier
    }

    /// Runs `bgtask` with arguments as an operator would, connected to this fixture's host.
    package func bgtask(_ arguments: String...) async throws -> ProgramRun { try await bgtaskList(arguments) }

    package func bgtaskList(_ arguments: [String]) async throws -> ProgramRun {
        try await ProgramRun.of(BuiltProgram.command.path(), arguments + ["--socket", socket])
    }

    /// An instant far enough in the future that no test reaches it.
    package static var tomorrow: WallTime {
        WallTime(nanoseconds: Int64(Date().timeIntervalSince1970 + 86_400) * 1_000_000_000)
    }

    /// Waits until the host lists the submission of the plugin as running.
    package func wait(for submission: Int64, toRun plugin: TestPlugin) async throws {
        try await withDeadline(waitingFor: "submission \(submission) of \(plugin.identifier) to run") { [self] in
            while try await !client.tasks().running.contains(where: { $0.submission == submission }) {
                try Task.checkCancellation()
            }
        }
    }
}
