// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginRuntime
import Testing

@Suite("Texts cross the ABI complete, or cut between characters")
struct ForeignTextTests {
    @Test func `a plugin's text at the length limit is read, and a longer one is refused`() {
        #expect(String(repeating: "x", count: 255).withCString { ForeignText.read($0, limit: 255) }?.count == 255)
        #expect(String(repeating: "x", count: 256).withCString { ForeignText.read($0, limit: 255) } == nil)
    }

    @Test func `a plugin's text that is not UTF-8 is refused as identifier and repaired as log line`() {
        let bytes: [CChar] = [CChar(bitPattern: 0xff), 65, 0]
        bytes.withUnsafeBufferPointer { buffer in
            guard let address = buffer.baseAddress else { return }
            #expect(ForeignText.read(address, limit: 10) == nil)
            #expect(ForeignText.readRepaired(address, limit: 10) == "\u{FFFD}A")
        }
    }

    @Test(arguments: ["abcdefgh", "äöüß", "€€€", "a😀b😀", "日本語"])
    func `texts of one to four bytes per character, for or from a plugin, are cut between characters at each limit`(
        text: String
    ) {
        for limit in 0...text.utf8.count + 1 {
            let cut = ForeignText.prefix(of: text, limit: limit)
            #expect(text.hasPrefix(cut))
            #expect(cut.utf8.count <= limit)
            #expect(limit - cut.utf8.count < 4 || cut == text)
            if limit > 0 { #expect(text.withCString { ForeignText.readRepaired($0, limit: limit) } == cut) }
        }
    }

    @Test func `a call without a buffer returns the needed size of a text, and a buffer of that size suffices`() {
        var needed: UInt64 = 0
        #expect(ForeignText.write("häuser", to: nil, capacity: 0, needed: &needed) == .truncated)
        #expect(needed == 8)
        var buffer = [CChar](repeating: 1, count: Int(needed))
        #expect(ForeignText.write("häuser", to: &buffer, capacity: needed, needed: nil) == .whole)
        #expect(buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } == "häuser")
    }

    @Test func `a plugin's buffer that is one byte too small receives an empty string`() {
        var buffer = [CChar](repeating: 1, count: 4)
        #expect(ForeignText.write("abcd", to: &buffer, capacity: 4, needed: nil) == .truncated)
        #expect(buffer == [0, 1, 1, 1])
    }

    @Test func `a plugin's buffer capacity without a buffer is invalid`() {
        #expect(ForeignText.write("a", to: nil, capacity: 5, needed: nil) == .invalid)
    }
}
