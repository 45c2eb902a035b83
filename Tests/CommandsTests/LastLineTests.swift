// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import Commands

@Suite("The last line of a stream is kept as the cause of a failure")
struct LastLineTests {
    private func text(_ parts: String...) -> String? {
        let line = LastLine()
        for part in parts { line.add(Array(part.utf8)) }
        return line.text
    }

    @Test func `the last line that is not empty is kept, in whatever parts it arrives`() {
        #expect(text() == nil && text("\r\n", "\n") == nil)
        #expect(text("first\r\nsec", "ond\r\n\r\n") == "\"second\"")
        #expect(text("first\n", "unfinished") == "\"unfinished\"")
    }

    @Test func `the remedy of a page whose connection sshd refuses has the line of ssh`() throws {
        let (page, line) = (RemotePage(host: try RemoteHost("web-1")), LastLine())
        #expect(page.remedy(after: line) == "check the host with: bgtask -H web-1 host status")
        line.add(Array("channel 3: open failed: administratively prohibited: open failed\r\n".utf8))
        #expect(page.remedy(after: line).contains("administratively prohibited"))
        #expect(page.remedy(after: line).contains("AllowStreamLocalForwarding"))
    }

    @Test func `control characters are shown, and a long line is cut`() {
        #expect(text("\u{1b}[2Jx\n") == "\"\\u{1b}[2Jx\"")
        #expect((text(String(repeating: "x", count: 100_000)) ?? "").count < 400)
    }
}
