// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

extension JournalReply: ListReply {
    static let nothingFound = "no journal entry found"

    static let sortKeys: [SortKey<JournalLine>] = [
        SortKey("number") { $0.number }, SortKey("time") { $0.at.wall }, SortKey("event") { $0.event },
        SortKey("launch") { $0.launch }, SortKey("plugin") { $0.plugin }, SortKey("task") { $0.task },
        SortKey("blame") { $0.blame },
    ]

    static func name(of row: JournalLine) -> String { "\(row.number)" }

    var rows: [JournalLine] {
        get { entries }
        set { self = JournalReply(entries: newValue, last: last) }
    }
}
