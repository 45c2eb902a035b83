// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The body of `POST /v1/plugins/{identifier}/pause`, which pauses a plugin.
package struct PluginPauseOrder: CallBody, Hashable {
    package static let fields: [BodyField] = [.optional("until", .time)]

    /// The time at which the pause ends; nil when only a user ends it.
    package let until: CalendarTime?

    package init(until: WallTime? = nil) {
        self.until = until.map { CalendarTime(Timestamp($0)) }
    }

    /// The checked end of the pause. Throws a refusal for an end that is not after `now`.
    package func validated(at now: WallTime) throws(RouteError) -> WallTime? {
        guard let end = until?.time.wall else { return nil }
        if end > now { return end }
        throw RouteError(
            .timeInvalid,
            field: "until",
            "field \"until\" is \(CalendarTime(secondOf: Timestamp(end))), which has passed",
            remedy: "write a later time, or leave it out to pause the plugin until it is resumed"
        )
    }
}

/// A pause of a plugin, in replies.
package struct PluginPauseState: Codable, Hashable, Sendable {
    package let since: Timestamp
    private let sinceSecond: CalendarTime
    /// The time at which the pause ends by itself; nil when only a user ends it.
    package let until: Timestamp?
    private let untilSecond: CalendarTime?
    /// The user who paused the plugin; nil when the caller is unknown.
    package let user: JournalLine.User?

    package init(_ pause: PluginPause) {
        since = Timestamp(pause.since)
        sinceSecond = CalendarTime(secondOf: since)
        until = pause.until.map(Timestamp.init)
        untilSecond = until.map(CalendarTime.init(secondOf:))
        user = pause.user.map(JournalLine.User.init)
    }

    private enum CodingKeys: String, CodingKey {
        case user
        case since = "since_ns"
        case sinceSecond = "since"
        case until = "until_ns"
        case untilSecond = "until"
    }
}

/// The answer to the pause of a plugin, sent after the pause is committed.
package struct PluginPauseReply: Codable, Hashable, Sendable {
    package let plugin: String
    package let pause: PluginPauseState

    package init(_ plugin: PluginIdentifier, _ pause: PluginPause) {
        self.plugin = plugin.text
        self.pause = PluginPauseState(pause)
    }
}

/// The answer to `POST /v1/plugins/{identifier}/resume`, sent after the end of the pause is committed.
package struct PluginResumeReply: Codable, Hashable, Sendable {
    package let plugin: String
    /// Whether the plugin was paused before the call.
    package let wasPaused: Bool

    package init(_ plugin: PluginIdentifier, wasPaused: Bool) {
        self.plugin = plugin.text
        self.wasPaused = wasPaused
    }

    private enum CodingKeys: String, CodingKey {
        case plugin
        case wasPaused = "was_paused"
    }
}
