// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension WatchPicture {
    private static let barCells = 20
    /// Maximum number of tasks that are listed one by one for a launch.
    private static let tasksShown = 4

    func runningSection(columns: Int?) -> PictureSection? {
        let launches = snapshot.launches.map { launch in
            LaunchWithTasks(launch, tasks: snapshot.tasks.running.filter { $0.launch == launch.launch })
        }
        let columns = columns ?? .max
        let names = launches.map(\.subject.displayWidth).max() ?? 0
        // The launch number, the lane, the bar and the time need 62 columns.
        let name = columns >= Self.wide ? min(names, columns - 62) : names
        let blocks = launches.map { block($0, columns: columns, name: name) }
        return PictureSection(heading: "RUNNING \(launches.count)", blocks: blocks)
    }

    private func block(_ launch: LaunchWithTasks, columns: Int, name: Int) -> [PictureLine] {
        var lines = columns >= Self.wide ? [wideLine(launch, name: name)] : narrowLines(launch, columns: columns)
        let margin = continuation(columns: columns)
        if let task = launch.onlyTask {
            lines += continuedLines(of: task, columns: columns)
        } else {
            for task in launch.tasks.prefix(Self.tasksShown) {
                var line = PictureLine(margin + task.task)
                line.add("  \(task.kind)", .faint)
                if task.isExpiring { line.add("  expiring", .alarm) }
                lines += [line] + continuedLines(of: task, columns: columns)
            }
            let more = launch.tasks.count - Self.tasksShown
            if more > 0 {
                lines.append(PictureLine("\(margin)and \(more) more \(more == 1 ? "task" : "tasks")", .faint))
            }
        }
        return lines + launch.assertions.map { PictureLine("\(margin)held open by assertion \"\($0)\"", .faint) }
    }

    private func wideLine(_ launch: LaunchWithTasks, name: Int) -> PictureLine {
        var line = PictureLine(margin(columns: nil))
        line.add(number(launch), .strong)
        line.add(launch.subject.terminalSafe.endFitted(to: name, mark: style.mark).padded(to: name))
        line.add("  " + launch.lane.padded(to: 10) + "  ", .faint)
        if let bar = launch.bar {
            line.add(bar, cells: Self.barCells, launch.tone, style: style)
            line.add("  ")
        }
        addTime(of: launch, to: &line)
        return line
    }

    private func narrowLines(_ launch: LaunchWithTasks, columns: Int) -> [PictureLine] {
        var (first, second) = (PictureLine(number(launch), .strong), PictureLine("  "))
        first.add(launch.subject.terminalSafe.endFitted(to: max(0, columns - first.width), mark: style.mark))
        if let bar = launch.bar {
            second.add(bar, cells: max(4, min(Self.barCells, columns / 2 - 6)), launch.tone, style: style)
            second.add(" ")
        }
        addTime(of: launch, to: &second)
        return [first, second]
    }

    /// The indentation of the lines below a launch.
    private func continuation(columns: Int) -> String {
        String(repeating: " ", count: columns >= Self.wide ? 6 : 2)
    }

    private func number(_ launch: LaunchWithTasks) -> String {
        let widest = snapshot.launches.map { "\($0.launch)".count }.max() ?? 0
        let number = "\(launch.number)"
        return String(repeating: " ", count: max(0, widest - number.count)) + number + "  "
    }

    /// Adds the used time and the budget, as `22.4s of 30s`. Once the budget is used up, adds the used part of the
    /// grace period; before that, adds whether the launch is expiring.
    private func addTime(of launch: LaunchWithTasks, to line: inout PictureLine) {
        let budget = launch.budget.map { " of \($0.humanReadable)" } ?? ""
        line.add(launch.used.humanReadable + budget)
        if let gracePeriod = launch.gracePeriodUsed {
            line.add(", grace \(gracePeriod.humanReadable) of \(launch.gracePeriod.humanReadable)", .alarm)
        } else if launch.isExpiring {
            line.add(", expiring", .alarm)
        }
    }

    /// The lines with title, subtitle and progress of a continued task; none for a task without a title.
    private func continuedLines(of task: TaskListReply.Running, columns: Int) -> [PictureLine] {
        guard let title = task.title else { return [] }
        let margin = continuation(columns: columns)
        var words = PictureLine(margin)
        words.add(title, .strong)
        words.add(task.subtitle.map { "  \($0)" } ?? "")
        var line = PictureLine(margin)
        if let progress = task.progress {
            if let total = progress.total {
                let bar = Bar(Double(progress.done), of: Double(total))
                let cells = max(4, min(2 * Self.barCells, columns / 2))
                line.add(bar, cells: cells, task.isExpiring ? .alarm : .fine, style: style)
                line.add(" \(bar.percent) %")
            }
            line.add("  \(progress.text)", .faint)
        } else {
            line.add("no progress reported yet", .faint)
        }
        return [words, line]
    }
}

/// A running launch with its running tasks.
private struct LaunchWithTasks {
    private let launch: LaunchReply
    let tasks: [TaskListReply.Running]

    init(_ launch: LaunchReply, tasks: [TaskListReply.Running]) {
        self.launch = launch
        self.tasks = tasks
    }

    var number: Int64 { launch.launch }
    var lane: String { launch.lane }
    var assertions: [String] { launch.assertions ?? [] }
    var onlyTask: TaskListReply.Running? { tasks.count == 1 ? tasks.first : nil }
    /// The name of the launch's only running task, which includes the plugin's name. With several running tasks or
    /// none, the plugin's name.
    var subject: String { onlyTask.map { Subject.text($0.task, of: launch.plugin) } ?? launch.plugin }
    var used: Duration { launch.used?.duration ?? .zero }
    var budget: Duration? { launch.budget?.duration }
    var gracePeriod: Duration { launch.gracePeriod.duration }
    /// Time since the budget was used up; nil before that, and without a budget.
    var gracePeriodUsed: Duration? { budget.flatMap { used > $0 ? used - $0 : nil } }
    var isExpiring: Bool { tasks.contains(where: \.isExpiring) || budget.map { used >= $0 } == true }

    var bar: Bar? { budget.map { Bar(used / .nanoseconds(1), of: $0 / .nanoseconds(1)) } }

    var tone: PictureLine.Tone {
        if isExpiring { return .alarm }
        return (bar?.share ?? 0) >= 0.8 ? .warning : .fine
    }
}
