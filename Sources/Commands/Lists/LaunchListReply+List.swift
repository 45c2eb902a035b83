// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

extension LaunchListReply: ListReply {
    static let nothingFound = "no launch found"

    static let sortKeys: [SortKey<LaunchReply>] = [
        SortKey("launch") { $0.launch }, SortKey("plugin") { $0.plugin }, SortKey("lane") { $0.lane },
        SortKey("cause") { $0.cause }, SortKey("used") { $0.used?.duration }, SortKey("budget") { $0.budget?.duration },
        SortKey("started") { $0.startedAt.wall }, SortKey("ended") { $0.endedAt?.wall },
        SortKey("outcome") { $0.outcome },
    ]

    static func name(of row: LaunchReply) -> String { "\(row.launch)" }

    var rows: [LaunchReply] {
        get { launches }
        set { launches = newValue }
    }
}
