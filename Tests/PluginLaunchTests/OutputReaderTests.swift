// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import TaskModel
import Testing

@testable import PluginLaunch

@Suite("The output of a launch is read at a limited rate")
struct OutputReaderTests {
    /// The number of reads, each of `size` bytes, after which reading pauses.
    private func reads(of size: Int) throws -> Int {
        let now = MonotonicTime(nanoseconds: 0)
        let (output, input) = try Descriptor.pipe()
        var reader = OutputReader(pipe: output, at: now)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
        defer { buffer.deallocate() }
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        var count = 0
        while reader.resumesAt == nil, count < 100_000 {
            try #require(write(input.number, bytes, size) == size)
            #expect(reader.read(into: buffer, at: now) { _ in })
            count += 1
        }
        return count
    }

    @Test func `reading pauses after 8 MiB in one instant`() throws {
        #expect(try reads(of: 1 << 15) == 256)
    }

    // Otherwise a plugin that writes single bytes would keep the thread of all launches busy.
    @Test func `reading pauses after 8,192 reads of single bytes in one instant`() throws {
        #expect(try reads(of: 1) == 8_192)
    }
}
