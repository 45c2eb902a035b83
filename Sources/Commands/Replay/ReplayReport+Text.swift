// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Replay
import TaskModel
import TerminalText

extension ReplayReport: Presentable {
    func text(for reader: Reader) -> String {
        var table = Table(
            "PLUGIN",
            "REQUESTS",
            "LAUNCHES",
            "BATCHES",
            "MEAN WAIT",
            "P95 WAIT",
            "EXPIRED",
            "OVERRAN",
            "BUSIEST DAY",
            "WAITED FOR"
        )
        for plugin in plugins { table.add(plugin.cells) }
        let total = [
            "\(plugins.count) plugins", "\(plugins.reduce(0) { $0 + $1.requests })",
            "\(plugins.reduce(0) { $0 + $1.launches })", "\(plugins.reduce(0) { $0 + $1.batches })", "", "",
            "\(plugins.reduce(0) { $0 + $1.expired })", "\(plugins.reduce(0) { $0 + $1.overruns })", "",
            Wait.text(waits),
        ]
        if plugins.count > 1 { table.add(total) }
        return "a \(length) of \(trace), seed \(seed)\n\n" + table.text
    }
}

extension ReplayReport.Plugin {
    fileprivate var expired: Int { expirations.reduce(0) { $0 + $1.count } }

    fileprivate var cells: [String] {
        let share = dayBudget == 0 ? 0 : Int(Double(busiestDay) / Double(dayBudget) * 100)
        return [
            plugin, "\(requests)" + (refused == 0 ? "" : " (\(refused) refused)"), "\(launches)", "\(batches)",
            Duration.nanoseconds(meanWait).humanReadable, Duration.nanoseconds(p95Wait).humanReadable, "\(expired)",
            "\(overruns)", "\(Duration.nanoseconds(busiestDay).humanReadable), \(share)%",
            ReplayReport.Wait.text(waits),
        ]
    }
}

extension ReplayReport.Wait {
    /// The three reasons with the longest total waits, with these times.
    fileprivate static func text(_ waits: [Self]) -> String {
        waits.prefix(3).map { "\($0.reason) \(Duration.nanoseconds($0.total).humanReadable)" }
            .joined(separator: ", ")
    }
}
