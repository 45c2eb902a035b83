// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A day of the Gregorian calendar, extended to all years.
package struct CivilDate: Hashable, Sendable {
    package var year: Int64
    /// Month of the year, from 1.
    package var month: Int64
    /// Day of the month, from 1.
    package var day: Int64

    package init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    // Years are counted from March here, so that the leap day is a year's last and months need no table.
    package init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    package var daysSince1970: Int64 {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    package var exists: Bool {
        (1...12).contains(month) && day >= 1 && CivilDate(daysSince1970: daysSince1970) == self
    }

    /// Day of the week from 1, Sunday, to 7. 1970 began on a Thursday.
    package static func weekday(daysSince1970 days: Int64) -> Int {
        Int((days + 4).flooredDivision(by: 7).remainder) + 1
    }
}

extension Int64 {
    /// Divides by a positive divisor, rounding the quotient down. The remainder is from 0 to below the divisor.
    package func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
