// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import TerminalText

@Suite("The width of a text is measured in terminal cells")
struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("plain", 5), ("émile", 5), ("e\u{301}mile", 5), ("夏の写真", 8), ("ｗｉｄｅ", 8), ("한국", 4), ("👍🏽", 2),
        ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("zero\u{200b}width", 9), ("█░", 2),
    ])
    func `a combining character takes no cell and a wide character takes two`(_ text: String, cells: Int) {
        #expect(text.displayWidth == cells)
    }

    @Test func `truncation to a width cuts no character in half and marks the cut`() {
        #expect("夏の写真".fitted(to: 8, mark: "…") == "夏の写真")
        #expect("夏の写真".fitted(to: 6, mark: "…") == "夏の…")
        #expect("夏の写真".fitted(to: 1, mark: "…") == "…")
        #expect("夏の写真".fitted(to: 0, mark: "…") == "")
        #expect("com.example.feed".endFitted(to: 6, mark: "…") == "….feed")
        #expect("e\u{301}e\u{301}e\u{301}".fitted(to: 2, mark: "~") == "e\u{301}~")
    }

    @Test func `the columns of a table are aligned with wide and combining characters`() {
        var table = Table("TITLE", "KIND")
        table.add("夏", "one")
        table.add("e\u{301}", "two")
        #expect(table.text == "TITLE  KIND\n夏     one\ne\u{301}      two\n")
    }
}
