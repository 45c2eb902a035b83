// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import ControlClient

@Suite("A stream is split into lines independent of its chunks")
struct LineSplitterTests {
    @Test(arguments: 1...9)
    func `a stream is split into the same lines for chunk sizes from 1 to 9 bytes`(size: Int) {
        let text = Array("one\ntwo\n\nthree\nrest".utf8)
        var splitter = LineSplitter()
        var lines: [String] = []
        for start in stride(from: 0, to: text.count, by: size) {
            let chunk = text[start..<min(start + size, text.count)]
            lines += splitter.append(chunk).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(lines == ["one", "two", "three"])
        #expect(splitter.holdsUnfinishedLine)
    }

    @Test func `a line of a stream beyond the maximum length is reported as an overflow`() {
        var splitter = LineSplitter()
        _ = splitter.append(repeatElement(UInt8(ascii: "x"), count: LineSplitter.longestLine))
        #expect(!splitter.hasOverflowed)
        _ = splitter.append([UInt8(ascii: "x")])
        #expect(splitter.hasOverflowed)
    }
}
