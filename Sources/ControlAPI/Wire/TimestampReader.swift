// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A parser of one RFC 3339 time. Other formats and times without a zone are rejected.
struct TimestampReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    /// Nanoseconds since 1970; nil when the text is malformed or the time is out of range.
    mutating func nanoseconds() -> Int64? {
        guard let year = number(digits: 4), skip("-"), let month = number(digits: 2), skip("-"),
            let day = number(digits: 2), skip("T") || skip("t") || skip(" "),
            let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"),
            let second = number(digits: 2), let fraction = fraction(), let offset = offset(), rest.isEmpty
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        // Time since 1970 has no leap seconds: a leap second counts as the first second of the next minute.
        guard date.exists, hour < 24, minute < 60, second <= 60 else { return nil }
        var seconds = date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second - offset
        var rest = fraction
        // Rounded towards zero, so that the product stays in range for the earliest second, which is only partly in
        // range.
        if seconds < 0 && rest > 0 {
            seconds += 1
            rest -= 1_000_000_000
        }
        let (product, isTooFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isJustTooFar) = product.addingReportingOverflow(rest)
        return isTooFar || isJustTooFar ? nil : sum
    }

    /// Nanoseconds of the fraction, 0 without one. Digits after the ninth are dropped. Nil when a point has no digits
    /// after it.
    private mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        var value: Int64 = 0
        var count = 0
        while let digit = digit() {
            if count < 9 { value = value * 10 + digit }
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 9)..<9 { value *= 10 }
        return value
    }

    /// The offset of the time zone in seconds east of UTC; nil when it is malformed.
    private mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let sign: Int64
        if skip("+") {
            sign = 1
        } else if skip("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hours = number(digits: 2), skip(":"), let minutes = number(digits: 2), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    private mutating func digit() -> Int64? {
        guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        rest.removeFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }
}
