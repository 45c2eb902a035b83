// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI

extension ScheduleListReply: ListReply {
    static let nothingFound = "no schedule found"

    static let sortKeys: [SortKey<Schedule>] = [
        SortKey("next") { $0.next?.wall }, SortKey("schedule") { $0.identifier }, SortKey("plugin") { $0.plugin },
        SortKey("kind") { $0.kind }, SortKey("state") { $0.state.rawValue }, SortKey("last-run") { $0.lastRun?.wall },
        SortKey("outcome") { $0.lastOutcome?.outcome },
    ]

    static func name(of row: Schedule) -> String { row.identifier }

    var rows: [Schedule] {
        get { schedules }
        set { schedules = newValue }
    }
}
