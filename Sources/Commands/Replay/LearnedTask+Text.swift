// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Replay
import TaskModel
import TerminalText

extension LearnedPopulation {
    /// The table of the tasks learned from the journal, and of the tasks and plugins that are left out.
    var text: String {
        var table = Table("TASK", "SOURCE", "REQUESTS", "INTERVAL", "RUN TIME", "LEFT OUT")
        for row in rows {
            table.add(
                row.task ?? row.plugin,
                row.source ?? "",
                "\(row.requests)",
                row.interval.map { Duration.nanoseconds($0).humanReadable } ?? "",
                row.runTime.map { Duration.nanoseconds($0).humanReadable } ?? "",
                row.leftOut ?? ""
            )
        }
        return "learned from the journal of the host\n\n" + table.text
    }
}
