// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TerminalText

extension NotificationReply: Presentable {
    func text(for reader: Reader) -> String {
        if notifications.isEmpty { return "" }
        var table = Table("NUMBER", "TIME", "KIND", "SUBJECT", "TITLE", "BODY")
        for line in notifications { table.add(line.cells(for: reader)) }
        return table.text(fitting: reader.width)
    }
}

extension NotificationLine {
    fileprivate func cells(for reader: Reader) -> [String] {
        let kind = alarm ?? (isChanged ? "push, changed" : "push")
        let text = [subtitle, body].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ")
        return [
            "\(number)", at.briefText(for: reader), kind, Subject.text(ofEntryAbout: task, of: plugin), title, text,
        ]
    }
}
