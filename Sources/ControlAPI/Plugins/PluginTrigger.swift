// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
package import TaskModel

/// `POST /v1/plugins/{identifier}/trigger`: wakes an extension, with something to read if there is any.
package struct PluginTrigger: CallBody, Hashable {
    package static let fields: [BodyField] = [.optional("payload", .base64)]

    /// Base 64 on the wire.
    package let payload: Data?

    package init(payload: [UInt8] = []) { self.payload = CarriedPayload.data(payload) }

    package func validated() throws(ControlRefusal) -> [UInt8] { try CarriedPayload.bytes(payload) }
}

/// The answer to a trigger that is on disk.
package struct PluginTriggerReply: Codable, Hashable, Sendable {
    /// The extension that will be launched for it.
    package let plugin: String
    package let eventName: String
    /// The event's number: requests and events share the count.
    package let submission: Int64

    package init(_ number: SubmissionNumber, plugin: PluginIdentifier) {
        self.plugin = plugin.text
        eventName = EventType.trigger.name
        submission = number.rawValue
    }

    private enum CodingKeys: String, CodingKey {
        case plugin, submission
        case eventName = "event_name"
    }
}
