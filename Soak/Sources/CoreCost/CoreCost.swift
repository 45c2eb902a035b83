// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import Scheduling
import TaskModel

/// Measures the scheduling core alone: processor time of one event and memory of one pending request, with few and with
/// many requests pending. Commits succeed at once and cost nothing here.
///
///     make core-cost
@main
struct CoreCost {
    static func main() {
        print("pending   plugins  B/request  load s   submit us  complete us  why us  condition us/plugin")
        for (plugins, each) in [(1_000, 1), (1_000, 100), (1_000, 1_000)] {
            let before = residentBytes
            var host = CoreHost(plugins: plugins, each: each)
            let load = host.load()
            host.forgetLedger()
            let bytes = (residentBytes - before) / (plugins * each)
            let submit = host.measure(200) { $0.submit() }
            let complete = host.measure(200) { $0.runToCompletion() }
            let why = host.measure(200) { $0.explain() }
            let conditions = host.measure(5) { $0.flipIdle() } / Double(plugins) / 2
            print(
                pad(plugins * each, 9),
                pad(plugins, 8),
                pad(bytes, 10),
                pad(load, 7),
                pad(submit * 1e6, 10),
                pad(complete * 1e6, 12),
                pad(why * 1e6, 7),
                pad(conditions * 1e6, 19)
            )
        }
    }

    /// Memory of this process, from the kernel; what the allocator keeps for later is given back before.
    private static var residentBytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        guard fgets(&line, 128, file) != nil else { return 0 }
        let fields = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
            separator: " "
        )
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func pad(_ value: Int, _ width: Int) -> String {
        let text = "\(value)"
        return String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }

    private static func pad(_ value: Double, _ width: Int) -> String {
        let hundredths = Int((value * 100).rounded())
        let fraction = hundredths % 100
        let text = "\(hundredths / 100)." + (fraction < 10 ? "0" : "") + "\(fraction)"
        return String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}
