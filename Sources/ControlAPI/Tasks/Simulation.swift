// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The body of `POST /v1/run`, which runs pending tasks now, whatever their times and the conditions are.
package struct RunOrder: CallBody, Hashable {
    package static let fields: [BodyField] = [.required("identifiers", .texts)]

    package let identifiers: [String]

    package init(identifiers: [String]) { self.identifiers = identifiers }

    package func validated() throws(RouteError) -> [TaskIdentifier] {
        if identifiers.isEmpty {
            let remedy = "name at least one pending task"
            throw RouteError(.identifierMissing, field: "identifiers", "field \"identifiers\" is empty", remedy: remedy)
        }
        var tasks: [TaskIdentifier] = []
        for (index, text) in identifiers.enumerated() {
            tasks.append(try TaskIdentifier(validating: text, field: "identifiers[\(index)]"))
        }
        return tasks
    }
}

package struct RunReply: Codable, Hashable, Sendable {
    /// The launches in which the tasks will run, each being prepared or already running.
    package let launching: [Int64]
    /// The pauses for whose end tasks wait, at most one per plugin; nil when no task waits for one.
    package let waiting: [WaitingReason]?

    package init(launching: [LaunchNumber], waiting: [WaitingReason] = []) {
        self.launching = launching.map(\.rawValue)
        self.waiting = waiting.isEmpty ? nil : waiting
    }
}

/// The body of `POST /v1/simulate/expiration`, which expires a running task as at the end of its budget, with its
/// regular grace period.
package struct ExpirationSimulation: CallBody, Hashable {
    package static let fields: [BodyField] = [.required("identifier", .text)]

    package let identifier: String

    package init(identifier: String) { self.identifier = identifier }

    package func validated() throws(RouteError) -> TaskIdentifier { try TaskIdentifier(validating: identifier) }
}

package struct ExpirationSimulationReply: Codable, Hashable, Sendable {
    package let launch: Int64

    package init(launch: LaunchNumber) { self.launch = launch.rawValue }
}
