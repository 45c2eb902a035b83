// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// The machine, the time and the sources of a measurement.
package struct Machine: Codable, Sendable {
    /// Time in UTC, as in RFC 3339.
    let date: String
    /// Commit of the working tree, with `-dirty` after changes; `unknown` outside of a repository.
    let commit: String
    let processors: Int
    let processor: String
    let gibibytes: Int
    let kernel: String

    package static func current() throws -> Machine {
        let cpuinfo = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
        let model = cpuinfo.split(separator: "\n").first { $0.hasPrefix("model name") }?.split(separator: ": ").last
        let describe = ["describe", "--always", "--dirty", "--abbrev=8", "--exclude=*"]
        return Machine(
            date: try line("/usr/bin/date", ["--utc", "+%Y-%m-%dT%H:%M:%SZ"]),
            commit: (try? line("/usr/bin/git", describe)) ?? "unknown",
            processors: ProcessInfo.processInfo.activeProcessorCount,
            processor: model.map(String.init) ?? "unknown",
            gibibytes: Int(ProcessInfo.processInfo.physicalMemory >> 30),
            kernel: try line("/usr/bin/uname", ["-r"])
        )
    }

    package var text: String {
        let hardware = "\(processors) processors (\(processor)), \(gibibytes) GiB"
        return "\(date.prefix(10)), \(hardware), Linux \(kernel), commit \(commit)"
    }

    private static func line(_ program: String, _ arguments: [String]) throws -> String {
        try Programs.output(of: program, arguments).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
