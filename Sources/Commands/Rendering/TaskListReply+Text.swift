// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension TaskListReply: Presentable {
    func text(for reader: Reader) -> String {
        var sections: [String] = []
        if !running.isEmpty { sections.append(runningTable(for: reader).text(fitting: reader.width)) }
        if !pending.isEmpty { sections.append(pendingTable(for: reader).text(fitting: reader.width)) }
        if !events.isEmpty { sections.append(eventTable(for: reader).text(fitting: reader.width)) }
        if isPartial { sections.append(PartialList.text) }
        return sections.joined(separator: "\n")
    }

    private func runningTable(for reader: Reader) -> Table {
        let headings = ["RUNNING", "KIND", "SUBMISSION", "LAUNCH", "USED", "BUDGET", "PROGRESS", "TITLE"]
        let cursors = CursorColumn(of: running.map(\.cursor), for: reader)
        var table = Table(headings + cursors.heading)
        for task in running {
            let cells = [
                Subject.text(task.task, of: task.plugin),
                task.kind,
                "\(task.submission)",
                "\(task.launch)",
                task.used.duration.humanReadable,
                task.budget?.duration.humanReadable ?? "none",
                task.progress?.text ?? "",
                [task.title, task.subtitle].compactMap(\.self).joined(separator: ": "),
            ]
            table.add(cells + cursors.cell(of: task.cursor))
        }
        return table
    }

    private func pendingTable(for reader: Reader) -> Table {
        let headings = ["PENDING", "KIND", "SUBMISSION", "EARLIEST", "NEEDS", "FAILED", "WAITS FOR"]
        let cursors = CursorColumn(of: pending.map(\.cursor), for: reader)
        var table = Table(headings + cursors.heading)
        for task in pending {
            let cells = [
                Subject.text(task.identifier, of: task.plugin),
                task.kind,
                "\(task.submission)",
                task.earliestBegin?.relativeText(for: reader) ?? "",
                task.needs,
                task.failedAttempts == 0 ? "" : "\(task.failedAttempts)x",
                WaitingReason.brief(task.reason, for: reader),
            ]
            table.add(cells + cursors.cell(of: task.cursor))
        }
        return table
    }

    private func eventTable(for reader: Reader) -> Table {
        var table = Table("EVENT", "SUBMISSION", "CREATED", "FAILED", "WAITS FOR")
        for event in events { table.add(event.cells(for: reader)) }
        return table
    }
}

extension TaskListReply.Event {
    func cells(for reader: Reader) -> [String] {
        [
            Subject.text(eventName, of: plugin), "\(submission)", createdAt.relativeText(for: reader),
            attempts == 0 ? "" : "\(attempts)x", WaitingReason.brief(reason, for: reader),
        ]
    }

    /// The event in one line, without its plugin, because the line is printed below the plugin's name.
    func line(for reader: Reader) -> String {
        let failed = attempts == 0 ? "" : ", failed \(attempts)x"
        let created = createdAt.relativeText(for: reader)
        return "\(submission) \(eventName), \(created)\(failed), waits for \(WaitingReason.brief(reason, for: reader))"
    }
}

extension TaskListReply.Pending {
    fileprivate var needs: String {
        let needs = [requiresNetwork ? "network" : nil, requiresExternalPower ? "external-power" : nil]
        return needs.compactMap { $0 }.joined(separator: ",")
    }
}

extension WaitingReason {
    /// The code of the reason and, when known, the time at which it ends; `nothing` for nil. The message of the reason
    /// is left out; `bgtask why` prints it.
    fileprivate static func brief(_ reason: WaitingReason?, for reader: Reader) -> String {
        guard let reason else { return "nothing" }
        return reason.code + (reason.until.map { " \($0.relativeText(for: reader))" } ?? "")
    }
}
