// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// The contents of a file with the kernel's pressure stall information: the time for which processes waited for a
/// resource.
struct PressureReading: Equatable {
    /// Percentage of the last ten seconds in which at least one process waited for the resource.
    let average: Double
    /// Total time since the machine started in which at least one process waited for the resource.
    let total: Duration

    init(file path: String) throws(SystemError) {
        let text = try SystemFile.text(path, limit: 4096)
        guard let reading = Self(parsing: text) else { throw SystemError(unreadable: path) }
        self = reading
    }

    /// Parses the `some` line of a pressure file, such as `some avg10=0.12 avg60=0.05 avg300=0.01 total=123456`. Nil
    /// without that line, or without a valid `avg10` and `total`.
    init?(parsing text: String) {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("some ") }) else { return nil }
        var values: [Substring: Substring] = [:]
        for field in line.split(separator: " ") {
            let parts = field.split(separator: "=")
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        guard let average = values["avg10"].flatMap({ Double($0) }), average.isFinite,
            let total = values["total"].flatMap({ Int64($0) }), total >= 0
        else { return nil }
        self.average = average
        self.total = .microseconds(total)
    }
}
