// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginChecker
import Testing

@testable import Commands

@Suite("The live tree of plugin check shows running checks on a terminal, and plain lines elsewhere")
struct LiveTreeTests {
    private func result(_ check: String) -> TrialResult {
        TrialResult(check: check, level: 1, rule: "manifest", .pass, expected: "it holds")
    }

    @Test func `on a terminal the line of a running check is replaced by its result`() {
        var tree = LiveTree(isOnTerminal: true)
        #expect(tree.begin("a") == "  .  running  a\n")
        #expect(tree.begin("b") == "\u{1b}[1A\u{1b}[J  .  running  a\n  .  running  b\n")
        #expect(tree.end(result("a")) == "\u{1b}[2A\u{1b}[J  1  pass  a\n  .  running  b\n")
        #expect(tree.end(result("b")) == "\u{1b}[1A\u{1b}[J  1  pass  b\n")
    }

    @Test func `on a terminal many running checks have eight lines and a count of the others`() {
        var tree = LiveTree(isOnTerminal: true)
        var text = ""
        for number in 0..<12 { text = tree.begin("check-\(number)") }
        #expect(text.split(separator: "running").count == 9 && text.hasSuffix("  .  4 more\n"))
    }

    @Test func `without a terminal each result is one line, and the begin of a check is not shown`() {
        var tree = LiveTree(isOnTerminal: false)
        #expect(tree.begin("a").isEmpty)
        #expect(tree.end(result("a")) == "  1  pass  a\n")
    }
}
