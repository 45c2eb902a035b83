// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// A range of user numbers, which one host gives to its plugins. The group of each user has the same number.
package struct UserRange: Hashable, Sendable, CustomStringConvertible {
    package let first: UInt32
    package let last: UInt32

    /// The numbers that a plugin may have as its user. Smaller numbers belong to root and to the accounts of the
    /// system; the largest number stands for "unchanged" in system calls.
    package static let permitted: ClosedRange<UInt32> = 1_000...(.max - 1)

    /// Creates a range; nil when it is empty or contains a number that is not permitted.
    package init?(first: UInt32, last: UInt32) {
        guard first <= last, Self.permitted.contains(first), Self.permitted.contains(last) else { return nil }
        self.first = first
        self.last = last
    }

    /// Creates a range from its description, such as `600000-665535`; nil for any other text.
    package init?(_ text: String) {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2d }),
            let first = UInt32(numbers[0]), let last = UInt32(numbers[1])
        else { return nil }
        self.init(first: first, last: last)
    }

    package var description: String { "\(first)-\(last)" }

    package var count: Int { Int(last - first) + 1 }

    package func contains(_ user: UInt32) -> Bool { (first...last).contains(user) }

    package func contains(_ other: UserRange) -> Bool { first <= other.first && other.last <= last }

    /// The user at an index from 0; nil beyond the end of the range.
    package subscript(index: Int) -> UInt32? {
        index >= 0 && index < count ? first + UInt32(index) : nil
    }
}
