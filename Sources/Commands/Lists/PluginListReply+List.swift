// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

extension PluginListReply: ListReply {
    static let nothingFound = "no plugin found"

    static let sortKeys: [SortKey<Summary>] = [
        SortKey("plugin") { $0.identifier }, SortKey("role") { $0.role }, SortKey("tasks") { $0.permitted.count },
        SortKey("pending") { $0.pending }, SortKey("events") { $0.events }, SortKey("running") { $0.running },
        SortKey("state") { $0.state.rawValue },
    ]

    static func name(of row: Summary) -> String { row.identifier }

    var rows: [Summary] {
        get { plugins }
        set { plugins = newValue }
    }

    var isEmpty: Bool { plugins.isEmpty && refused.isEmpty }
}
