// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Measuring

/// Rows of the table of results, in the order of measurement.
struct Rows {
    private var lines: [String] = []

    /// Adds a row.
    ///
    /// - Parameters:
    ///   - before: the figure before the host was optimized for many plugins and requests; nil without a measurement.
    ///   - target: the figure that the host promises; nil without a promise.
    ///   - machine: the cost of the same work on this machine without a host, from the same run.
    mutating func add(
        _ figure: String,
        before: String? = nil,
        now: String,
        target: String? = nil,
        machine: String? = nil
    ) {
        let cells = [figure, before ?? "-", now, target ?? "-", machine ?? "-"]
        lines.append("| " + cells.joined(separator: " | ") + " |")
        print(lines.last ?? "")
    }

    /// Writes the rows of one part, and replaces the rows of an earlier run.
    func write(_ part: String, _ programs: Programs) throws {
        let text = lines.map { $0 + "\n" }.joined()
        try text.write(toFile: "\(Self.directory(programs))/\(part).rows", atomically: true, encoding: .utf8)
    }

    static func directory(_ programs: Programs) -> String { programs.bench + "/size" }
}
