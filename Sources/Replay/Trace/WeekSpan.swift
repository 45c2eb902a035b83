// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A weekly span of time, written as "mon-fri 09:00-17:30" or, for every day, without days: "22:00-06:30".
///
/// A span whose end time is not after its start time ends on the next day. Spans have neither a date nor a time zone.
package struct WeekSpan: Hashable, Sendable {
    static let dayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    static let example = "mon-fri 09:00-17:30"

    /// Days on which the span starts: 0 is Monday.
    let days: Set<Int>
    /// Start of the span in minutes after midnight.
    let startMinute: Int
    /// End of the span in minutes after the midnight before its start; always later than the start.
    let endMinute: Int

    init(days: Set<Int>, startMinute: Int, endMinute: Int) {
        self.days = days
        self.startMinute = startMinute
        self.endMinute = endMinute > startMinute ? endMinute : endMinute + 24 * 60
    }

    /// Parses a span; nil when `text` has another format.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard let times = words.last, words.count <= 2 else { return nil }
        let ends = times.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = Self.minute(ends[0]), let end = Self.minute(ends[1]), start < 24 * 60 else {
            return nil
        }
        guard words.count == 2 else {
            self.init(days: Set(0..<7), startMinute: start, endMinute: end)
            return
        }
        guard let days = Self.days(words[0]) else { return nil }
        self.init(days: days, startMinute: start, endMinute: end)
    }

    /// Parses the days in "mon", "mon-fri" or "sat,sun"; a range may cross the end of the week. Nil for any other text.
    private static func days(_ text: Substring) -> Set<Int>? {
        var days: Set<Int> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard ends.count <= 2, let first = dayNames.firstIndex(of: ends[0]),
                let last = dayNames.firstIndex(of: ends[ends.count - 1])
            else { return nil }
            for day in first...(last < first ? last + 7 : last) { days.insert(day % 7) }
        }
        return days
    }

    private static func minute(_ text: Substring) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isNumber } }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 24 * 60
        else { return nil }
        return hour * 60 + minute
    }
}
