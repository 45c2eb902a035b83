// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// `POST /v1/simulate/launch`: run these pending tasks now, whatever time and conditions say.
package struct LaunchSimulation: Codable, Hashable, Sendable {
    package let identifiers: [String]

    package init(identifiers: [String]) { self.identifiers = identifiers }

    package func validated() throws(ControlRefusal) -> [TaskIdentifier] {
        if identifiers.isEmpty {
            throw .malformed("identifier-missing", "identifiers is empty; name at least one pending task")
        }
        var tasks: [TaskIdentifier] = []
        for text in identifiers { tasks.append(try TaskIdentifier(validating: text)) }
        return tasks
    }
}

package struct LaunchSimulationReply: Codable, Hashable, Sendable {
    /// The launches on their way, one per plugin.
    package let launching: [Int64]

    package init(launching: [LaunchNumber]) { self.launching = launching.map(\.rawValue) }
}

/// `POST /v1/simulate/expiration`: tell a running task that its time is over, with the grace that it would get.
package struct ExpirationSimulation: Codable, Hashable, Sendable {
    package let identifier: String

    package init(identifier: String) { self.identifier = identifier }

    package func validated() throws(ControlRefusal) -> TaskIdentifier { try TaskIdentifier(validating: identifier) }
}

package struct ExpirationSimulationReply: Codable, Hashable, Sendable {
    package let launch: Int64

    package init(launch: LaunchNumber) { self.launch = launch.rawValue }
}
