// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
package import TaskModel

/// `POST /v1/tasks`: a request as a person hands it in.
package struct TaskSubmission: CallBody, Hashable {
    package static let fields: [BodyField] = [
        .required("identifier", .text), .required("kind", .text), .optional("earliest-begin", .time),
        .optional("requires-network", .boolean), .optional("requires-external-power", .boolean),
        .optional("payload", .base64),
    ]

    package let identifier: String
    package let kind: String
    package let earliestBegin: Timestamp?
    package let requiresNetwork: Bool
    package let requiresExternalPower: Bool
    /// Base 64 on the wire.
    package let payload: Data?

    package init(_ request: TaskRequest, payload: [UInt8] = []) {
        identifier = request.identifier.text
        kind = request.kind.name
        earliestBegin = request.earliestBegin.map(Timestamp.init)
        requiresNetwork = request.requiresNetwork
        requiresExternalPower = request.requiresExternalPower
        self.payload = CarriedPayload.data(payload)
    }

    private enum CodingKeys: String, CodingKey {
        case identifier, kind, payload
        case earliestBegin = "earliest-begin"
        case requiresNetwork = "requires-network"
        case requiresExternalPower = "requires-external-power"
    }

    // Needs are left out by those who have none.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try container.decode(String.self, forKey: .identifier)
        kind = try container.decode(String.self, forKey: .kind)
        earliestBegin = try container.decodeIfPresent(Timestamp.self, forKey: .earliestBegin)
        requiresNetwork = try container.decodeIfPresent(Bool.self, forKey: .requiresNetwork) ?? false
        requiresExternalPower = try container.decodeIfPresent(Bool.self, forKey: .requiresExternalPower) ?? false
        payload = try container.decodeIfPresent(Data.self, forKey: .payload)
    }

    /// What the scheduler takes, once identifier, kind and payload keep their rules.
    package func validated() throws(ControlRefusal) -> (request: TaskRequest, payload: [UInt8]) {
        let task = try TaskIdentifier(validating: identifier)
        guard let kind = TaskKind(name: kind), kind != .event else {
            let offered = TaskKind.allCases.filter { $0 != .event }.map(\.name)
            throw ControlRefusal(
                .kindUnknown,
                field: "kind",
                "kind \"\(kind)\" is not offered",
                remedy: NearestWord.remedy(for: kind, among: offered)
            )
        }
        let bytes = try CarriedPayload.bytes(payload)
        let request = TaskRequest(
            identifier: task,
            kind: kind,
            earliestBegin: earliestBegin?.wall,
            requiresNetwork: requiresNetwork,
            requiresExternalPower: requiresExternalPower
        )
        return (request, bytes)
    }
}

/// The answer to a submission that is on disk.
package struct TaskSubmissionReply: Codable, Hashable, Sendable {
    package let submission: Int64
    /// The main plugin that will be launched for it.
    package let plugin: String
    package let identifier: String
    /// The submission that this one took the place of.
    package let replaced: Int64?

    package init(
        _ submission: SubmissionNumber,
        plugin: PluginIdentifier,
        identifier: TaskIdentifier,
        replacing replaced: SubmissionNumber?
    ) {
        self.submission = submission.rawValue
        self.plugin = plugin.text
        self.identifier = identifier.text
        self.replaced = replaced?.rawValue
    }
}

/// `DELETE /v1/tasks/{identifier}`: whether there was something to take back. A running task goes on.
package struct TaskCancellationReply: Codable, Hashable, Sendable {
    package let isCancelled: Bool

    package init(isCancelled: Bool) { self.isCancelled = isCancelled }

    private enum CodingKeys: String, CodingKey {
        case isCancelled = "cancelled"
    }
}
