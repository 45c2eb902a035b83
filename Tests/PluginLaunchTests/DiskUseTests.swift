// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import TaskModel
import Testing

@testable import PluginLaunch

@Suite("The use of the disk by a launch is read from the kernel, whatever the text contains")
struct DiskUseTests {
    private static let text = "rchar: 9\nwchar: 700\nsyscr: 1\nsyscw: 2\nread_bytes: 3\nwrite_bytes: 500\n"
    /// The directory of this process's devices is a tmpfs on every machine with tests.
    private let memory = ContainerDisk(of: "/dev/shm")
    private let disk = ContainerDisk(of: "/proc")

    @Test func `written bytes are those of a disk without the cancelled ones, and on a tmpfs all`() {
        let text = Self.text + "cancelled_write_bytes: 100\n"
        #expect(memory.isInMemory && !disk.isInMemory)
        #expect(disk.writtenBytes(ofProcess: text) == 400)
        #expect(memory.writtenBytes(ofProcess: text) == 700)
        #expect(disk.writtenBytes(ofProcess: Self.text + "cancelled_write_bytes: 900\n") == 0)
    }

    @Test(arguments: ["", "wchar", "wchar: many", "write_bytes: 1\n", ": :\n"])
    func `text without the counters has no written bytes`(_ text: String) {
        #expect(disk.writtenBytes(ofProcess: text) == nil && memory.writtenBytes(ofProcess: text) == nil)
    }

    @Test func `the bytes of a control group are those of the device of the containers, and unknown on a tmpfs`() throws
    {
        var place = stat()
        #expect(stat("/proc", &place) == 0)
        let device = "\(place.st_dev >> 8 & 0xfff):\(place.st_dev & 0xff)"
        let text = "999:9 rbytes=1 wbytes=5 rios=1\n\(device) rbytes=4096 wbytes=700 rios=1 wios=2 dbytes=0 dios=0\n"
        #expect(disk.writtenBytes(inGroup: text) == 700)
        #expect(disk.writtenBytes(inGroup: "999:9 rbytes=1 wbytes=5\n") == 0)
        #expect(disk.writtenBytes(inGroup: "\(device) rbytes=1\n") == nil)
        #expect(memory.writtenBytes(inGroup: text) == nil)
    }

    @Test func `the space of a disk and the bytes of a running process are read, those of an ended one are unknown`()
        throws
    {
        let disk = ContainerDisk(of: NSTemporaryDirectory())
        let space = try disk.space()
        #expect(space.bytes > 0 && (0...space.bytes).contains(space.freeBytes))
        #expect((0...max(0, space.inodes)).contains(space.freeInodes))
        #expect(disk.written(by: getpid(), in: nil) != nil)
        #expect(disk.written(by: Int32.max, in: nil) == nil)
        #expect(throws: SystemError.self) { try ContainerDisk(of: "/there/is/no/disk").space() }
    }

    @Test func `files created since a time are counted below a directory, without those behind symbolic links`() throws
    {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bgtask-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let inner = directory.appending(path: "a/b")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        try Data().write(to: inner.appending(path: "file"))
        symlink("/usr", directory.appending(path: "link").path)
        #expect(ContainerDisk.created(in: directory.path, since: WallTime(nanoseconds: 0)) == 4)
        #expect(ContainerDisk.created(in: directory.path, since: WallTime(nanoseconds: .max)) == 0)
        #expect(ContainerDisk.created(in: directory.path + "/none", since: WallTime(nanoseconds: 0)) == nil)
    }

    @Test func `files created since a time are counted in 64 levels of directories: the count is a lower bound`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bgtask-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let inner = directory.appending(path: Array(repeating: "d", count: 70).joined(separator: "/"))
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        #expect(ContainerDisk.created(in: directory.path, since: WallTime(nanoseconds: 0)) == 64)
    }
}
