// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension Duration {
    /// The duration in at most two units, rounded toward zero: `850ms`, `22.4s`, `10min`, `2h 5min`.
    package var humanReadable: String {
        let nanoseconds = wholeNanoseconds
        if nanoseconds < 0 { return "-" + Duration.nanoseconds(-nanoseconds).humanReadable }
        let seconds = nanoseconds / 1_000_000_000
        switch nanoseconds {
        case 0: return "0s"
        case ..<1_000: return "\(nanoseconds)ns"
        case ..<1_000_000: return "\(nanoseconds / 1_000)us"
        case ..<100_000_000: return Self.tenths(nanoseconds / 100_000) + "ms"
        case ..<1_000_000_000: return "\(nanoseconds / 1_000_000)ms"
        case ..<60_000_000_000: return Self.tenths(nanoseconds / 100_000_000) + "s"
        default: break
        }
        switch seconds {
        case ..<3_600: return Self.pair(seconds / 60, "min", seconds % 60, "s")
        case ..<86_400: return Self.pair(seconds / 3_600, "h", seconds % 3_600 / 60, "min")
        default: return Self.pair(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h")
        }
    }

    private static func tenths(_ value: Int64) -> String {
        value % 10 == 0 ? "\(value / 10)" : "\(value / 10).\(value % 10)"
    }

    private static func pair(_ large: Int64, _ unit: String, _ small: Int64, _ smallUnit: String) -> String {
        small == 0 ? "\(large)\(unit)" : "\(large)\(unit) \(small)\(smallUnit)"
    }
}
