// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// All measured rows, and the figures of `make core-cost`, as one table in Markdown: BENCH/size.md.
struct Table {
    private let programs: Programs

    init(_ programs: Programs) { self.programs = programs }

    /// Joins the rows that the benchmarks wrote into one table, and writes it to `size.md`.
    ///
    /// - Returns: the table as text.
    func write() throws -> String {
        let directory = Rows.directory(programs)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".rows") }
        let columns = "| figure | before | now | promised | the machine alone |\n|---|---|---|---|---|\n"
        var text = try Machine.current().text + "\n\n" + columns
        for file in files.sorted() { text += try String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8) }
        if let cost = try? String(contentsOfFile: programs.bench + "/core-cost.txt", encoding: .utf8) {
            text += CoreCostTable(cost).rows
        }
        try text.write(toFile: programs.bench + "/size.md", atomically: true, encoding: .utf8)
        return text
    }
}

/// Parses the output of `make core-cost`: a heading and a line for each size, in columns separated by two spaces.
struct CoreCostTable {
    private let heading: [String]
    private let lines: [[String]]
    /// The lines of the second table of `make core-cost`: the number of plugins that wait for capacity, and
    /// microseconds.
    private let capacity: [[String]]

    init(_ text: String) {
        let waiting = text.split(separator: "\n").drop { !$0.contains("waiting for capacity") }.dropFirst()
        capacity = waiting.map { $0.split(separator: " ").map(String.init) }.prefix {
            $0.count == 2 && Int($0[0]) != nil
        }
        .map { $0 }
        let lines = text.split(separator: "\n").map { line in
            line.split(separator: #/ {2,}/#).map { $0.trimmingCharacters(in: .whitespaces) }
        }.filter { $0.count > 2 }
        heading = lines.first ?? []
        self.lines = lines.dropFirst().map { line in line.flatMap { $0.split(separator: " ").map(String.init) } }
    }

    /// Rows of a Markdown table: one for each measured column, with its figures for all numbers of pending requests,
    /// and one with the figures of `capacity`.
    var rows: String {
        let sizes = column("pending")
        return heading.enumerated().dropFirst(2).map { index, name in
            let figures = lines.map { $0.indices.contains(index) ? $0[index] : "?" }.joined(separator: " / ")
            let before = Self.before[name] ?? "-"
            return
                "| core alone, \(sizes.joined(separator: " / ")) pending: \(name) | \(before) | \(figures) | - | - |\n"
        }.joined() + capacityRow
    }

    private var capacityRow: String {
        let sizes = capacity.map { $0[0] }.joined(separator: " / ")
        let times = capacity.map { $0[1] }.joined(separator: " / ")
        return "| core alone, \(sizes) plugins wait for capacity: the end of a launch leads to the next, us"
            + " | 90,000 / - | \(times) | - | - |\n"
    }

    private func column(_ name: String) -> [String] {
        guard let index = heading.firstIndex(of: name) else { return [] }
        return lines.compactMap { $0.indices.contains(index) ? $0[index] : nil }
    }

    /// Figures from before the scheduler had indexes, by column: one for each measured number of pending requests,
    /// separated by slashes, or a text that names its own conditions.
    private static let before = [
        "B/request": "- / 2,800 / -",
        "load s": "- / 1.54, in one event / -",
        "submit us": "- / 829 / 7,900",
        "complete us": "81, of an idle host",
        "why us": "- / 118 / -",
        "condition us/plugin": "595 with 50 waiting in each, and 50,000 ledger tickets",
    ]
}
