// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension JournalReply: Presentable {
    func text(for reader: Reader) -> String {
        entries.isEmpty ? "" : table(for: reader).text(fitting: reader.width)
    }

    /// The entries as a table. Entries that arrive later are printed with the same column widths.
    func table(for reader: Reader) -> Table {
        var table = Table("TIME", "EVENT", "LAUNCH", "SUBJECT", "BLAME", "MESSAGE")
        for entry in entries { table.add(entry.cells(for: reader)) }
        return table
    }
}

extension JournalLine {
    func cells(for reader: Reader) -> [String] {
        let blame = blame == Blame.nobody.rawValue ? "" : blame
        let subject = Subject.text(ofEntryAbout: task, of: plugin)
        let caller = user.map {
            "; called by user \($0.uid), process \($0.pid)" + ($0.command.map { " (\($0))" } ?? "")
        }
        let text = message + (caller ?? "")
        return [at.briefText(for: reader), event, launch.map { "\($0)" } ?? "", subject, blame, text]
    }
}
