// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("A text is truncated to a number of bytes, between two Unicode scalars")
struct BoundedTextTests {
    @Test func `a text within the limit of bytes is unchanged`() {
        #expect("".bounded(toBytes: 0).isEmpty)
        #expect("eight by".bounded(toBytes: 8) == "eight by")
    }

    @Test(arguments: 3...40)
    func `a longer text is truncated with an ellipsis to at most the limit of bytes, as valid Unicode`(limit: Int) {
        let text = String(repeating: "aé€\u{1F9CA}", count: 10)
        let cut = text.bounded(toBytes: limit)
        #expect(cut.utf8.count <= limit && cut.utf8.count >= limit - 3 && cut.hasSuffix("..."))
        #expect(text.unicodeScalars.starts(with: cut.dropLast(3).unicodeScalars))
    }

    @Test func `a single character of a million bytes is truncated to the limit of bytes`() {
        let text = "a" + String(repeating: "\u{301}", count: 500_000)
        #expect(text.count == 1 && text.bounded(toBytes: 4_096).utf8.count <= 4_096)
    }
}
