// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension ForecastReply: Presentable {
    func text(for reader: Reader) -> String {
        var sections: [String] = []
        if launches.isEmpty {
            sections.append("no launch until \(computedUntil.text(for: reader))\n")
        } else {
            sections.append(launchTable(for: reader))
        }
        if launchCount > launches.count {
            let more = launchCount - launches.count
            sections.append("\(more) later \(more == 1 ? "launch is" : "launches are") not listed; raise --limit\n")
        }
        if !waiting.isEmpty { sections.append(waitTable(for: reader)) }
        if waitingCount > waiting.count {
            let more = waitingCount - waiting.count
            sections.append("\(more) further \(more == 1 ? "item waits" : "items wait"); raise --limit to list them\n")
        }
        if let cut {
            let time = computedUntil.text(for: reader)
            sections.append("incomplete, computed until \(time): \(cut.message.terminalSafe)\n")
        }
        sections.append("assumptions:\n" + assumptions.map { "- \($0.terminalSafe)\n" }.joined())
        return sections.joined(separator: "\n")
    }

    private func launchTable(for reader: Reader) -> String {
        var table = Table("BEGINS", "IN", "ENDS", "PLUGIN", "LANE", "TASKS")
        for launch in launches {
            table.add(
                launch.beginsAt.localText(for: reader),
                launch.launch.map { "running as \($0)" } ?? launch.beginsAt.relativeText(for: reader),
                launch.endsAt?.localText(for: reader) ?? "",
                launch.plugin,
                launch.lane,
                launch.tasks.map(\.words).joined(separator: ", ")
            )
        }
        return table.text(fitting: reader.width)
    }

    private func waitTable(for reader: Reader) -> String {
        var table = Table("STILL WAITING", "KIND", "REASON")
        for wait in waiting {
            let others = wait.reasonCount > 1 ? " (and \(wait.reasonCount - 1) more)" : ""
            table.add(
                wait.identifier ?? "\(wait.eventName ?? "") of \(wait.plugin)",
                wait.kind,
                wait.reason.map { $0.text(for: reader) + others } ?? "is about to begin"
            )
        }
        return table.text(fitting: reader.width)
    }
}

extension ForecastReply.Task {
    fileprivate var words: String {
        let label = identifier ?? eventName ?? ""
        return origin == "schedule" ? "\(label) (schedule)" : label
    }
}
