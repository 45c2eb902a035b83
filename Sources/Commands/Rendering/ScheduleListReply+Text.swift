// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension ScheduleListReply: Presentable {
    func text(for reader: Reader) -> String {
        if schedules.isEmpty { return isPartial ? PartialList.text : "" }
        var table = Table("NEXT", "IN", "SCHEDULE", "KIND", "RHYTHM", "STATE", "LAST RUN", "OUTCOME")
        for schedule in schedules {
            table.add(
                schedule.next?.localText(for: reader) ?? "",
                schedule.next?.relativeText(for: reader) ?? "",
                Subject.text(schedule.identifier, of: schedule.plugin),
                schedule.kind,
                schedule.rhythm,
                schedule.state.rawValue,
                schedule.lastRun?.relativeText(for: reader) ?? "",
                schedule.lastOutcome?.outcome ?? ""
            )
        }
        var sections = [table.text(fitting: reader.width)]
        let problems = schedules.compactMap { schedule in
            schedule.problem.map { schedule.problemText($0, for: reader) }
        }
        if !problems.isEmpty { sections.append(problems.joined()) }
        if isPartial { sections.append(PartialList.text) }
        return sections.joined(separator: "\n")
    }
}

extension ScheduleListReply.Schedule {
    /// The key of the schedule in the configuration, followed by the reason that blocks it and the remedy.
    fileprivate func problemText(_ problem: WaitingReason, for reader: Reader) -> String {
        let remedy = problem.remedy.map { "; \($0)" } ?? ""
        return "plugins.\(plugin).schedules.\(identifier): \(problem.text(for: reader))\(remedy)".terminalSafe + "\n"
    }
}
