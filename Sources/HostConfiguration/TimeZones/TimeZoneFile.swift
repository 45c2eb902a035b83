// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel

/// Parses the bytes of a TZif file (RFC 9636), as tzdata installs one per time zone.
struct TimeZoneFile {
    struct Problem: Error {
        /// The problem as the end of a sentence that begins with "the file".
        let message: String

        /// The remedy; nil when a new installation of the database or the choice of another time zone helps.
        let remedy: String?

        init(_ message: String, remedy: String? = nil) {
            self.message = message
            self.remedy = remedy
        }
    }

    /// Limit of a file's size in bytes, far above the size of every file of tzdata.
    static let sizeLimit = 1 << 18

    let rules: TimeZoneRules

    static func hasMagic(_ bytes: some Collection<UInt8>) -> Bool { bytes.prefix(4).elementsEqual("TZif".utf8) }

    init(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.count < Self.sizeLimit else { throw Problem("has \(Self.sizeLimit) bytes or more") }
        var reader = ByteReader(bytes)
        var header = try Header(&reader)
        if header.version < 2 {
            rules = try Self.rules(try Block(header, &reader, wide: false), footer: nil)
            return
        }
        // The numbers of the first block have 32 bits; later versions repeat all of them with 64.
        guard reader.bytes(header.size(ofTime: 4)) != nil else { throw Self.truncated }
        header = try Header(&reader)
        let block = try Block(header, &reader, wide: true)
        guard reader.line()?.isEmpty == true, let footer = reader.line() else { throw Self.truncated }
        rules = try Self.rules(block, footer: String(decoding: footer, as: UTF8.self))
    }

    private static let truncated = Problem("is truncated")

    /// The rules in a data block.
    ///
    /// - Parameter footer: a POSIX rule, or empty for none; nil in a file of the first version.
    private static func rules(_ block: Block, footer: String?) throws(Problem) -> TimeZoneRules {
        var yearly: YearlyOffsets?
        if let footer, !footer.isEmpty {
            guard let rule = YearlyOffsets(posix: footer) else {
                throw Problem("ends with \(footer.inQuotes), which is not a POSIX rule")
            }
            yearly = rule
        }
        var transitions: [TimeZoneRules.Transition] = []
        for (time, type) in zip(block.times, block.types) {
            guard block.offsets.indices.contains(Int(type)) else { throw Problem("has no local time type \(type)") }
            transitions.append(.init(at: time, offset: block.offsets[Int(type)]))
        }
        guard let initial = block.offsets.first else { throw Problem("has no local time type") }
        let rules = TimeZoneRules(initial: initial, transitions: transitions, afterwards: yearly)
        guard let rules else { throw Problem("has transitions out of order, or offsets of more than 26 hours") }
        return rules
    }

    private struct Header {
        let version: Int
        let utcIndicators: Int
        let standardIndicators: Int
        let leapSeconds: Int
        let times: Int
        let types: Int
        let characters: Int

        init(_ reader: inout ByteReader) throws(Problem) {
            guard let magic = reader.bytes(4), hasMagic(magic) else {
                throw Problem("does not begin with TZif")
            }
            guard let version = reader.number(UInt8.self), reader.bytes(15) != nil,
                let counts = reader.numbers(UInt32.self, 6)?.map(Int.init)
            else { throw truncated }
            // The byte is NUL for version 1, and the digit of the version for any other.
            self.version = version == 0 ? 1 : Int(version) - 0x30
            (utcIndicators, standardIndicators, leapSeconds) = (counts[0], counts[1], counts[2])
            (times, types, characters) = (counts[3], counts[4], counts[5])
            if leapSeconds > 0 {
                throw Problem(
                    "counts leap seconds, unlike the clock of Linux",
                    remedy: "choose a time zone outside of the database's directory \"right\""
                )
            }
        }

        /// Number of bytes of the data block that follows the header. The counts have at most 32 bits, so the sum
        /// cannot overflow.
        ///
        /// - Parameter width: the number of bytes of a time in the block, 4 or 8.
        func size(ofTime width: Int) -> Int {
            times * (width + 1) + types * 6 + characters + leapSeconds * (width + 4) + standardIndicators
                + utcIndicators
        }
    }

    private struct Block {
        var times: [Int64] = []
        var types: [UInt8] = []
        /// Offset of each local time type, in seconds east of UTC.
        var offsets: [Int64] = []

        init(_ header: Header, _ reader: inout ByteReader, wide: Bool) throws(Problem) {
            let times =
                wide
                ? reader.numbers(Int64.self, header.times)
                : reader.numbers(Int32.self, header.times)?.map(Int64.init)
            guard let times, let types = reader.numbers(UInt8.self, header.times) else { throw truncated }
            (self.times, self.types) = (times, types)
            for _ in 0..<header.types {
                guard let offset = reader.number(Int32.self), reader.bytes(2) != nil else { throw truncated }
                offsets.append(Int64(offset))
            }
            let rest = header.characters + header.standardIndicators + header.utcIndicators
            guard reader.bytes(rest) != nil else { throw truncated }
        }
    }
}
