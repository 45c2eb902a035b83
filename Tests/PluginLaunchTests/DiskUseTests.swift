// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@testable import PluginLaunch

@Suite("The use of the disk by a launch is read from the kernel, whatever the text contains")
struct DiskUseTests {
    private static let text = "rchar: 9\nwchar: 700\nsyscr: 1\nsyscw: 2\nread_bytes: 3\nwrite_bytes: 500\n"

    @Test func `written bytes are those of a disk without the cancelled ones, and on a tmpfs all`() {
        let text = Self.text + "cancelled_write_bytes: 100\n"
        #expect(DiskUse.written(text, false) == 400)
        #expect(DiskUse.written(text, true) == 700)
        #expect(DiskUse.written(Self.text + "cancelled_write_bytes: 900\n", false) == 0)
    }

    @Test(arguments: ["", "wchar", "wchar: many", "write_bytes: 1\n", ": :\n"])
    func `text without the counters has no written bytes`(_ text: String) {
        #expect(DiskUse.written(text, false) == nil && DiskUse.written(text, true) == nil)
    }

    @Test func `the time in the kernel includes reaped children, and a program's name may have parentheses`() {
        let fields = "S 1 1 1 0 -1 4194560 1 0 0 0 11 22 33 44 20 0 1 0 5 6 7"
        #expect(DiskUse.systemTicks("7 (sh) \(fields)") == 66)
        #expect(DiskUse.systemTicks("7 () S 1 (x) \(fields)") == 66)
        for text in ["", "7 (sh", "7 (sh) S 1", "7 (sh) " + fields.replacing("22", with: "-22")] {
            #expect(DiskUse.systemTicks(text) == nil, "\(text)")
        }
    }

    @Test func `a sample has the size of the disk and the use by a process that runs`() throws {
        let launch = LaunchNumber(rawValue: 7)
        let sample = try DiskSample(of: NSTemporaryDirectory(), isInMemory: false, by: [launch: getpid()], groups: nil)
        #expect(sample.disk.bytes > 0 && (0...sample.disk.bytes).contains(sample.disk.freeBytes))
        #expect((0...max(0, sample.disk.inodes)).contains(sample.disk.freeInodes))
        #expect(sample.uses[launch]?.written != nil)
    }

    @Test func `a process that has ended has an unknown number of written bytes, and a missing disk is an error`()
        throws
    {
        let sample = try DiskSample(
            of: "/",
            isInMemory: false,
            by: [LaunchNumber(rawValue: 7): Int32.max],
            groups: nil
        )
        #expect(sample.uses.values.map(\.written) == [nil])
        #expect(throws: (any Error).self) {
            try DiskSample(of: "/there/is/no/disk", isInMemory: false, by: [:], groups: nil)
        }
    }
}
