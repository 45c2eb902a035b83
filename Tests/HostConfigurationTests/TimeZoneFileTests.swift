// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Scheduling
import Testing

@testable import HostConfiguration

@Suite("A time zone file is read whole or refused, without a trap")
struct TimeZoneFileTests {
    /// The bytes of a TZif file with one data block of each width.
    private static func file(
        version: UInt8 = 0x32,
        leapSeconds: UInt32 = 0,
        types: [Int32] = [3_600, 7_200],
        transitions: [(at: Int64, type: UInt8)] = [(1_000, 1), (2_000, 0)],
        footer: String = "CET-1"
    ) -> [UInt8] {
        func big<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
        var header = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
        let counts: [UInt32] = [0, 0, leapSeconds, UInt32(transitions.count), UInt32(types.count), 4]
        for count in counts { header += big(count) }
        var rest = transitions.map(\.type)
        for type in types { rest += big(type) + [0, 0] }
        rest += Array("CET\0".utf8)

        var narrow = header
        for transition in transitions { narrow += big(Int32(transition.at)) }
        narrow += rest
        if version == 0 { return narrow }
        var wide = header
        for transition in transitions { wide += big(transition.at) }
        return narrow + wide + rest + Array("\n\(footer)\n".utf8)
    }

    private func problem(of bytes: [UInt8]) -> String? {
        do {
            _ = try TimeZoneFile(bytes)
            return nil
        } catch {
            return error.message
        }
    }

    @Test
    func `a time zone file is read into a first offset, transitions, and a rule for the time after them`() throws {
        let rules = try TimeZoneFile(Self.file()).rules
        #expect([0, 1_000, 1_999, 2_000].map { rules.offset(at: $0) } == [3_600, 7_200, 7_200, 3_600])
        let later = try TimeZoneFile(Self.file(footer: "XST-5")).rules
        #expect([1_999, 2_000, 1 << 40].map { later.offset(at: $0) } == [7_200, 18_000, 18_000])
        let without = try TimeZoneFile(Self.file(footer: "")).rules
        #expect(without.offset(at: 1 << 40) == 3_600)
    }

    @Test func `a time zone file of version 1, without 64-bit times and rule, is read`() throws {
        let rules = try TimeZoneFile(Self.file(version: 0)).rules
        #expect([0, 1_000, 2_000].map { rules.offset(at: $0) } == [3_600, 7_200, 3_600])
    }

    @Test func `a defective time zone file is refused with a message that names the defect`() {
        #expect(problem(of: []) == "does not begin with TZif")
        #expect(problem(of: Array("TZip".utf8) + Self.file().dropFirst(4)) == "does not begin with TZif")
        #expect(problem(of: Self.file(leapSeconds: 1))?.contains("leap seconds") == true)
        #expect(problem(of: Self.file(types: [])) == "has no local time type 1")
        #expect(problem(of: Self.file(types: [], transitions: [])) == "has no local time type")
        #expect(problem(of: Self.file(transitions: [(1, 2)])) == "has no local time type 2")
        #expect(problem(of: Self.file(transitions: [(2, 1), (1, 0)]))?.contains("out of order") == true)
        #expect(problem(of: Self.file(types: [100_000, 0]))?.contains("26 hours") == true)
        #expect(problem(of: Self.file(footer: "CET")) == "ends with \"CET\", which is not a POSIX rule")
        #expect(problem(of: Array(repeating: 0, count: TimeZoneFile.sizeLimit))?.contains("or more") == true)
    }

    @Test func `a time zone file that ends early is refused at every length`() {
        let whole = Self.file()
        for length in whole.indices {
            #expect(problem(of: Array(whole[..<length])) != nil, "\(length) of \(whole.count) bytes are accepted")
        }
        #expect(problem(of: whole) == nil)
    }

    @Test func `a time zone file with one changed byte is parsed or refused without a trap`() throws {
        let berlin = [UInt8](try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Berlin")))
        #expect(problem(of: berlin) == nil)
        for index in berlin.indices {
            for byte: UInt8 in [0, 0x7f, 0x80, 0xff] {
                var changed = berlin
                changed[index] = byte
                guard let rules = try? TimeZoneFile(changed).rules else { continue }
                for instant: Int64 in [-(1 << 33), 0, 1 << 31, 1 << 33] { _ = rules.firstInstant(reaching: instant) }
            }
        }
    }
}
