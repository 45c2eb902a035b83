// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// The processor times of the machine's processes. They are not read at one instant: processes may end during the
/// reading.
struct ProcessTimes: Equatable {
    struct Entry: Equatable {
        let pid: Int32
        let parent: Int32
        /// Clock ticks of processor time used by the process itself.
        let ticks: Int64
        /// Clock ticks of processor time used by the children that the process has waited for.
        let reapedTicks: Int64

        /// Parses a line of `/proc/PID/stat`; nil when it is malformed. The second field is the program's name: any
        /// bytes, including spaces and parentheses.
        init?(parsing line: String) {
            guard let end = line.lastIndex(of: ")"), let name = line.firstIndex(of: "(") else { return nil }
            let fields = line[line.index(after: end)...].split(separator: " ")
            // `fields` begins with field 3; fields 14 to 17 are times.
            guard fields.count > 14, let pid = Int32(line[..<name].split(separator: " ").first ?? ""),
                let parent = Int32(fields[1])
            else { return nil }
            let times = fields[11...14].compactMap { Int64($0) }
            guard times.count == 4, times.allSatisfy({ 0...(1 << 60) ~= $0 }) else { return nil }
            self.pid = pid
            self.parent = parent
            ticks = times[0] + times[1]
            reapedTicks = times[2] + times[3]
        }
    }

    let entries: [Entry]

    /// The times of all processes; nil when the directory cannot be read.
    static func all(in proc: String) -> ProcessTimes? {
        guard let names = try? SystemFile.names(in: proc) else { return nil }
        let entries = names.compactMap { name -> Entry? in
            guard Int32(name) != nil, let line = try? SystemFile.text("\(proc)/\(name)/stat", limit: 4096) else {
                return nil
            }
            return Entry(parsing: line)
        }
        return ProcessTimes(entries: entries)
    }

    /// The processor time of a process and its descendants, including reaped ones.
    func used(by root: Int32, ticksPerSecond: Int64) -> Duration {
        let children = Dictionary(grouping: entries, by: \.parent)
        var sum: Int64 = 0
        var open = entries.filter { $0.pid == root }
        var seen: Set<Int32> = []
        while let entry = open.popLast() {
            guard seen.insert(entry.pid).inserted else { continue }
            sum = sum.addingReportingOverflow(entry.ticks + entry.reapedTicks).partialValue
            open += children[entry.pid] ?? []
        }
        return .milliseconds(max(0, sum) / max(1, ticksPerSecond) * 1_000)
            + .milliseconds(max(0, sum) % max(1, ticksPerSecond) * 1_000 / max(1, ticksPerSecond))
    }
}
