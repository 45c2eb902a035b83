// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TerminalText

extension LogReply: Presentable {
    func text(for reader: Reader) -> String {
        lines.isEmpty ? "" : table(for: reader).text
    }

    /// The lines as a table. Lines that arrive later are printed with the same column widths.
    func table(for reader: Reader) -> Table {
        var table = Table("TIME", "LAUNCH", "LEVEL", "STREAM", "SUBJECT", "TEXT")
        for line in lines {
            table.add(
                line.at.briefText(for: reader),
                "\(line.launch)",
                line.level,
                line.stream,
                Subject.text(ofEntryAbout: line.task, of: line.plugin),
                line.text
            )
        }
        return table
    }
}
