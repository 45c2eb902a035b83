// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import TaskModel

/// The query of `GET /v1/transfers`: a page of the transfers, newest first.
package struct TransferQuery: Hashable, Sendable {
    static let names = ["limit", "after", "plugin", "session", "state"]

    package var limit: Int
    /// The last transfer of the previous page: this page contains only older transfers. Nil for the first page.
    package var after: SubmissionNumber?
    /// The plugin whose transfers are listed; nil for every plugin.
    package let plugin: PluginIdentifier?
    /// The session whose transfers are listed; nil for every session.
    package let session: TransferSession?
    /// The states to list; empty for every state.
    package let states: Set<TransferState>

    package init(
        limit: Int = PageLimit.standard,
        after: SubmissionNumber? = nil,
        plugin: PluginIdentifier? = nil,
        session: TransferSession? = nil,
        states: Set<TransferState> = []
    ) {
        self.limit = limit
        self.after = after
        self.plugin = plugin
        self.session = session
        self.states = states
    }

    package init(reading value: (String) -> String?) throws(RouteError) {
        limit = try PageLimit.read(value("limit"))
        after = try QueryValue.cursor(value("after"), Self.cursor)
        plugin = try QueryValue.plugin(value("plugin"), named: "plugin")
        session = try QueryValue.session(value("session"), named: "session")
        states = Set(try QueryValue.words(value("state"), named: "state", among: TransferState.allCases, \.name) ?? [])
    }

    /// Parses the value of `next` of a page; nil when `text` is not one.
    package static func cursor(_ text: String) -> SubmissionNumber? {
        Int64(text).flatMap { $0 > 0 ? SubmissionNumber(rawValue: $0) : nil }
    }

    package var items: [(name: String, value: String)] {
        let states = TransferState.allCases.filter(states.contains).map(\.name).joined(separator: ",")
        let given: [(name: String, value: String?)] = [
            ("limit", "\(limit)"), ("after", after?.description), ("plugin", plugin?.text), ("session", session?.text),
            ("state", states.isEmpty ? nil : states),
        ]
        return given.compactMap { name, value in value.map { (name, $0) } }
    }
}
