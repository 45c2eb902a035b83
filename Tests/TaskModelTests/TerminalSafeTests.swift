// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@Suite("Text of plugins cannot control a terminal")
struct TerminalSafeTests {
    /// Controls, directions, zero-width characters and tags.
    private static let unsafe: [Unicode.Scalar] = [
        0...0x1f, 0x7f...0x9f, 0x61c...0x61c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x2064, 0x2066...0x2069,
        0xfeff...0xfeff, 0xe0000...0xe007f,
    ].flatMap { (range: ClosedRange<UInt32>) in range.compactMap(Unicode.Scalar.init) }

    @Test func `every control, direction, zero-width character and tag is escaped in text`() {
        for scalar in Self.unsafe {
            let safe = "a\(scalar)b".terminalSafe
            #expect(!safe.unicodeScalars.contains { $0.isUnsafeInTerminal }, "\(scalar.value)")
            #expect(safe.hasPrefix("a\\") && safe.hasSuffix("b"), "\(safe)")
        }
    }

    @Test func `in text of several lines, line ends and tabs are kept and other unsafe characters are escaped`() {
        for scalar in Self.unsafe where scalar != "\n" && scalar != "\t" {
            #expect("a\n\t\(scalar)b".terminalSafeLines.hasPrefix("a\n\t\\"), "\(scalar.value)")
        }
        #expect("a\n\tb".terminalSafeLines == "a\n\tb")
        #expect("a\u{301}\u{200d}b".terminalSafe == "a\u{301}\\u{200D}b")
    }

    @Test func `letters, combining marks, wide characters and emoji are not escaped for a terminal`() {
        let text = "Größe e\u{301} שלום العربية 日本 😀 ❤\u{fe0f} ~ !"
        #expect(text.terminalSafe == text && text.terminalSafeLines == text && text.terminalSafeJSON == text)
    }

    @Test func `JSON made safe for a terminal has the same value as before and contains no unsafe character`() throws {
        let strings = Self.unsafe.map { "a\($0)b" } + ["\\u009b", "Größe 😀", "\"\\\u{7f}"]
        let plain = try #require(String(bytes: JSONEncoder().encode(strings), encoding: .utf8))
        #expect(plain.unicodeScalars.contains { $0.isUnsafeInTerminal })
        let safe = plain.terminalSafeJSON
        #expect(!safe.unicodeScalars.contains { $0.isUnsafeInTerminal })
        #expect(try JSONDecoder().decode([String].self, from: Data(safe.utf8)) == strings)
        #expect("\"\u{9b}\u{e0041}\"".terminalSafeJSON == "\"\\u009b\\udb40\\udc41\"")
    }
}
