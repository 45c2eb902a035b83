// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import FoundationEssentials
package import TaskModel

/// The body of `POST /v1/plugins/{identifier}/trigger`, which sends a trigger with an optional payload to an extension.
package struct PluginTrigger: CallBody, Hashable {
    package static let fields: [BodyField] = [.optional("payload", .base64)]

    /// The payload, encoded in base 64; nil for an empty one.
    package let payload: Data?

    package init(payload: [UInt8] = []) { self.payload = CarriedPayload.data(payload) }

    package func validated() throws(RouteError) -> [UInt8] { try CarriedPayload.bytes(payload) }
}

/// The answer to a trigger, sent after the event is committed.
package struct PluginTriggerReply: Codable, Hashable, Sendable {
    /// The extension to be launched for the event.
    package let plugin: String
    package let eventName: String
    /// The submission number of the event. Requests and events are numbered together.
    package let submission: Int64
    /// The pauses for whose end the event waits; nil when neither the extension nor its main plugin is paused.
    package let waiting: [WaitingReason]?

    package init(_ number: SubmissionNumber, plugin: PluginIdentifier, waiting: [WaitingReason] = []) {
        self.plugin = plugin.text
        eventName = EventType.trigger.name
        submission = number.rawValue
        self.waiting = waiting.isEmpty ? nil : waiting
    }

    private enum CodingKeys: String, CodingKey {
        case plugin, submission, waiting
        case eventName = "event_name"
    }
}
