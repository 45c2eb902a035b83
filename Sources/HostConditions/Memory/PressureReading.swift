// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// One of the kernel's files of pressure stall information: for how much of the time something waited for a resource.
struct PressureReading: Equatable {
    /// Percent of the last ten seconds in which some process waited.
    let average: Double
    /// In which some process waited, since the machine started.
    let total: Duration

    init(file path: String) throws(SystemError) {
        let text = try SystemFile.text(path, limit: 4096)
        guard let reading = Self(parsing: text) else { throw SystemError(unreadable: path) }
        self = reading
    }

    /// `some avg10=0.12 avg60=0.05 avg300=0.01 total=123456`, then the same for `full`.
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
