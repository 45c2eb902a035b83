// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("A text is cut by its bytes, between two scalars")
struct BoundedTextTests {
    @Test func `what fits is left alone`() {
        #expect("".bounded(toBytes: 0).isEmpty)
        #expect("eight by".bounded(toBytes: 8) == "eight by")
    }

    @Test(arguments: 3...40)
    func `what does not fit is cut to at most so many bytes, and is still text`(limit: Int) {
        let text = String(repeating: "aé€\u{1F9CA}", count: 10)
        let cut = text.bounded(toBytes: limit)
        #expect(cut.utf8.count <= limit && cut.utf8.count >= limit - 3 && cut.hasSuffix("..."))
        #expect(text.unicodeScalars.starts(with: cut.dropLast(3).unicodeScalars))
    }

    @Test func `one character of a million bytes is cut like any text`() {
        let text = "a" + String(repeating: "\u{301}", count: 500_000)
        #expect(text.count == 1 && text.bounded(toBytes: 4_096).utf8.count <= 4_096)
    }
}
