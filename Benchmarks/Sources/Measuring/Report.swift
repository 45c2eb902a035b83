// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// All stored runs as JSON, as tables in Markdown, and as a chart.
package struct Report {
    private let runs: [Run]

    package init(_ runs: [Run]) { self.runs = runs }

    /// Writes `results.json`, `results.md` and `results.svg` into BENCH/results.
    package func write(_ programs: Programs) throws {
        let directory = programs.bench + "/results"
        for (name, text) in [
            ("results.json", try Run.encoded(runs)), ("results.md", Data(markdown.utf8)),
            ("results.svg", Data(Chart(runs).svg.utf8)),
        ] { try text.write(to: URL(fileURLWithPath: "\(directory)/\(name)"), options: .atomic) }
    }

    /// One table per run.
    package var markdown: String {
        let heading =
            "| figure | unit | median | p99 | max | spread | limit of the machine | share of the limit |\n"
            + "|---|---|---|---|---|---|---|---|\n"
        return runs.map { run in
            "## \(run.title)\n\n\(run.machine.text)\n\n" + heading + run.figures.map(row).joined()
        }.joined(separator: "\n")
    }

    private func row(_ figure: Figure) -> String {
        let isSingle = figure.count == 1
        let cells = [
            figure.name, figure.unit.rawValue, figure.unit.text(figure.median),
            isSingle ? nil : figure.unit.text(figure.p99), isSingle ? nil : figure.unit.text(figure.max),
            figure.spreadText, figure.limit.map { "\(figure.unit.text($0.median)) (\($0.name))" },
            figure.shareOfLimit.map { String(format: "%.0f %%", $0 * 100) },
        ]
        return "| " + cells.map { $0.map { $0.replacing("|", with: "\\|") } ?? "-" }.joined(separator: " | ") + " |\n"
    }
}
