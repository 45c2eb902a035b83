// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import TerminalText

@Suite("Text is measured in the cells that a terminal takes for it")
struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("plain", 5), ("émile", 5), ("e\u{301}mile", 5), ("夏の写真", 8), ("ｗｉｄｅ", 8), ("한국", 4), ("👍🏽", 2),
        ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("zero\u{200b}width", 9), ("█░", 2),
    ])
    func `what combines takes none, what is wide takes two`(_ text: String, cells: Int) {
        #expect(text.displayWidth == cells)
    }

    @Test func `a cut takes no half of a character, and says that something is missing`() {
        #expect("夏の写真".fitted(to: 8, mark: "…") == "夏の写真")
        #expect("夏の写真".fitted(to: 6, mark: "…") == "夏の…")
        #expect("夏の写真".fitted(to: 1, mark: "…") == "…")
        #expect("夏の写真".fitted(to: 0, mark: "…") == "")
        #expect("com.example.feed".endFitted(to: 6, mark: "…") == "….feed")
        #expect("e\u{301}e\u{301}e\u{301}".fitted(to: 2, mark: "~") == "e\u{301}~")
    }

    @Test func `columns of a table stand below each other, whatever is in them`() {
        var table = Table("TITLE", "KIND")
        table.add("夏", "one")
        table.add("e\u{301}", "two")
        #expect(table.text == "TITLE  KIND\n夏     one\ne\u{301}      two\n")
    }
}
