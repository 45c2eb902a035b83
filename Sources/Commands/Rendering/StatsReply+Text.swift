// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import TaskModel
import TerminalText

extension StatsReply: Presentable {
    func text(for reader: Reader) -> String {
        var fields = FieldList()
        fields.add("since", since.text(for: reader))
        fields.add("ledger", disk.ledgerBytes.sizeText)
        fields.add("free disk", disk.freeBytes?.sizeText)
        fields.add("containers", each: disk.containers.map { "\($0.plugin): \($0.text)" })
        if !isComplete { fields.add("", "there are more launches than the limit; only the newest are counted") }
        return table(for: reader) + "\n" + fields.text
    }

    private func table(for reader: Reader) -> String {
        if rows.isEmpty { return "no launch ended in this time\n" }
        var table = Table(
            "PLUGIN",
            "KIND",
            "LAUNCHES",
            "SUCCESS",
            "FAILED",
            "INTERRUPTED",
            "DELAY P50",
            "DELAY P95",
            "RUN P50",
            "RUN P95",
            "BUDGET P50",
            "BUDGET P95"
        )
        for row in rows {
            table.add(
                row.plugin,
                row.kind,
                "\(row.launches)",
                row.successPercent.map { "\($0) %" } ?? "",
                "\(row.failed)",
                "\(row.interrupted)",
                row.delay.median.duration.humanReadable,
                row.delay.p95.duration.humanReadable,
                row.runTime?.median.duration.humanReadable ?? "",
                row.runTime?.p95.duration.humanReadable ?? "",
                row.budgetUsed.map { "\($0.median) %" } ?? "",
                row.budgetUsed.map { "\($0.p95) %" } ?? ""
            )
        }
        return table.text(fitting: reader.width)
    }
}

extension StatsReply.Disk.Container {
    fileprivate var text: String { bytes?.sizeText ?? "too many files to count" }
}

extension Int64 {
    /// A size in the largest unit of which it has at least ten, rounded down: `1434 KiB`.
    fileprivate var sizeText: String {
        let units: [(word: String, shift: Int64)] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]
        guard let unit = units.first(where: { self >> $0.shift >= 10 }) else { return "\(self) B" }
        return "\(self >> unit.shift) \(unit.word)"
    }
}
