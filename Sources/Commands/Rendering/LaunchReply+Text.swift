// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension LaunchListReply: Presentable {
    func text(for reader: Reader) -> String {
        if launches.isEmpty { return "" }
        var table = Table("LAUNCH", "PLUGIN", "LANE", "CAUSE", "TASKS", "WORST", "BUDGET", "USED", "STARTED", "OUTCOME")
        for launch in launches {
            table.add(
                "\(launch.launch)",
                launch.plugin,
                launch.lane,
                launch.cause,
                launch.taskNames,
                launch.worstOutcome ?? "",
                launch.budget?.duration.humanReadable ?? "none",
                launch.used?.duration.humanReadable ?? "",
                launch.startedAt.localText(for: reader),
                launch.outcome ?? launch.phase
            )
        }
        return table.text(fitting: reader.width)
    }
}

extension LaunchReply {
    /// The state of a launch without an outcome.
    fileprivate var phase: String { isStopping == true ? "stopping" : "running" }

    /// The tasks of the launch in short: the name of the first task and the number of the others, as
    /// `com.example.feed.refresh and 2 more`; `none` for a launch without tasks.
    fileprivate var taskNames: String {
        guard let first = tasks.first else { return "none" }
        let name = Subject.text(first.task, of: plugin)
        return tasks.count == 1 ? name : "\(name) and \(tasks.count - 1) more"
    }
}

extension LaunchReply: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("launch", "\(launch)")
        fields.add("plugin", plugin)
        fields.add("lane", lane)
        fields.add("cause", cause)
        fields.add("process", "\(pid)")
        fields.add("manifest", "sha256 \(manifestDigest)")
        fields.add("started", startedAt.text(for: reader))
        fields.add("ended", endedAt?.text(for: reader))
        let used = used?.duration.humanReadable ?? "-"
        let budget = budget.map { "\(used) of \($0.duration.humanReadable) used" } ?? "\(used) used, no fixed budget"
        fields.add("budget", "\(budget), grace period \(gracePeriod.duration.humanReadable)")
        let blame = blame.map { $0 == Blame.nobody.rawValue ? "" : ", blame \($0)" } ?? ""
        fields.add("outcome", (outcome ?? phase) + blame)
        if let message, !message.isEmpty { fields.add("", message) }
        if isStopping == true { fields.add("", "every task has ended, the process has not") }
        fields.add("held open", each: (assertions ?? []).map { "by assertion \"\($0)\"" })
        for task in tasks { fields.add("cursor", task.cursor.map { "\(task.task): \($0.text(for: reader))" }) }
        return fields.text + "\n" + taskTable(for: reader).text
    }

    private func taskTable(for reader: Reader) -> Table {
        var table = Table("TASK", "KIND", "SUBMISSION", "OUTCOME", "BLAME", "ENDED", "MESSAGE")
        for task in tasks {
            table.add(
                task.task,
                task.kind,
                "\(task.submission)",
                task.outcome ?? "running",
                task.blame == Blame.nobody.rawValue ? "" : task.blame ?? "",
                task.endedAt?.localText(for: reader) ?? "",
                task.message ?? ""
            )
        }
        return table
    }
}
