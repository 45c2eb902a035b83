// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling

extension YearlyOffsets {
    /// Parses a rule such as `CET-1CEST,M3.5.0,M10.5.0/3`, the footer of a TZif file or a value of TZ; nil for other
    /// text.
    init?(posix text: String) {
        var reader = PosixReader(text)
        guard reader.skipName(), let west = reader.time(hours: 24) else { return nil }
        let standard = -west
        if reader.isAtEnd {
            self.init(standard: standard)
            return
        }
        guard reader.skipName() else { return nil }
        var offset = standard + 3600
        if !reader.isAtEnd, !reader.isAt(",") {
            guard let west = reader.time(hours: 24) else { return nil }
            offset = -west
        }
        // Without dates the rule of the United States applies, as in the C library.
        if reader.isAtEnd { reader = PosixReader(",M3.2.0,M11.1.0") }
        guard reader.skip(","), let start = reader.date(), reader.skip(","), let end = reader.date(), reader.isAtEnd
        else { return nil }
        self.init(standard: standard, daylight: Daylight(offset: offset, start: start, end: end))
    }
}

/// A parser of the parts of a POSIX time zone rule, byte by byte.
private struct PosixReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    func isAt(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard isAt(character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Skips a zone name: at least three letters, or any text between angle brackets. False when there is none.
    mutating func skipName() -> Bool {
        if skip("<") {
            let name = rest.prefix { $0 != UInt8(ascii: ">") }
            rest = rest.dropFirst(name.count)
            return !name.isEmpty && skip(">")
        }
        let name = rest.prefix { (0x41...0x5a).contains($0 & 0xdf) }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    /// Reads a time `[+|-]hh[:mm[:ss]]` in seconds; nil when it is malformed or has more than `limit` hours.
    mutating func time(hours limit: Int64) -> Int64? {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        guard let hours = number(upTo: limit) else { return nil }
        var seconds = hours * 3600
        for unit: Int64 in [60, 1] where skip(":") {
            guard let number = number(upTo: 59) else { return nil }
            seconds += number * unit
        }
        return isNegative ? -seconds : seconds
    }

    /// Reads a date `Mm.w.d`, `Jn` or `n`, followed by `/time`, by default 02:00. Nil when it is malformed.
    mutating func date() -> YearlyDate? {
        guard let day = day() else { return nil }
        if !skip("/") { return YearlyDate(day, at: 2 * 3600) }
        return time(hours: 167).map { YearlyDate(day, at: $0) }
    }

    private mutating func day() -> YearlyDate.Day? {
        if skip("J") { return number(from: 1, upTo: 365).map { .withoutLeapDay($0) } }
        if !skip("M") { return number(upTo: 365).map { .ofYear($0) } }
        guard let month = number(from: 1, upTo: 12), skip("."), let week = number(from: 1, upTo: 5), skip("."),
            let weekday = number(upTo: 6)
        else { return nil }
        return .weekday(weekday, week: week, month: month)
    }

    private mutating func number(from first: Int64 = 0, upTo last: Int64) -> Int64? {
        let digits = rest.prefix(4).prefix { (0x30...0x39).contains($0) }
        rest = rest.dropFirst(digits.count)
        guard !digits.isEmpty else { return nil }
        let number = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        return (first...last).contains(number) ? number : nil
    }
}
