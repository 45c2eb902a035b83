// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TerminalText

extension RetryList {
    func text(for reader: Reader) -> String {
        if rows.isEmpty { return "" }
        var table = Table("TASK", "PLUGIN", "KIND", "SUBMISSION", "LAUNCH", "OUTCOME", "STARTED")
        for row in rows {
            table.add(
                row.task,
                row.plugin,
                row.kind,
                "\(row.submission)",
                "\(row.launch)",
                row.outcome ?? "",
                row.startedAt.localText(for: reader)
            )
        }
        return table.text(fitting: reader.width)
    }
}
