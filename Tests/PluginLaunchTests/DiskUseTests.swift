// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import TaskModel
import Testing

@testable import PluginLaunch

@Suite("The use of the disk by a launch is read from the kernel, whatever the text contains")
struct DiskUseTests {
    private static let text = "rchar: 9\nwchar: 700\nsyscr: 1\nsyscw: 2\nread_bytes: 3\nwrite_bytes: 500\n"
    /// A directory in memory, because `/dev/shm` is a tmpfs on every machine with tests, and one that is not in memory.
    private let memory = ContainerDisk(of: "/dev/shm")
    private let disk = ContainerDisk(of: "/proc")

    @Test
    func `the written bytes of a process leave out cancelled ones on a disk, and are all written ones on a tmpfs`() {
        let text = Self.text + "cancelled_write_bytes: 100\n"
        #expect(memory.isInMemory && !disk.isInMemory)
        #expect(disk.writtenBytes(ofProcess: text) == 400)
        #expect(memory.writtenBytes(ofProcess: text) == 700)
        #expect(disk.writtenBytes(ofProcess: Self.text + "cancelled_write_bytes: 900\n") == 0)
    }

    @Test(arguments: ["", "wchar", "wchar: many", "write_bytes: 1\n", ": :\n"])
    func `a text without the kernel's counters gives no written bytes of a process`(_ text: String) {
        #expect(disk.writtenBytes(ofProcess: text) == nil && memory.writtenBytes(ofProcess: text) == nil)
    }

    /// Runs a test with a directory like `/sys/dev/block`: 8:1 is a partition of the disk 8:0, and 253:0 a whole disk.
    private func withDevices(_ test: (String) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "bgtask-\(UUID())")
        defer { try? FileManager.default.removeItem(at: root) }
        for (device, file, text) in [
            ("sda", "dev", "8:0\n"), ("sda/sda1", "dev", "8:1\n"), ("sda/sda1", "partition", "1\n"),
            ("dm-0", "dev", "253:0\n"),
        ] {
            let directory = root.appending(path: "devices/\(device)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: directory.appending(path: file))
        }
        let block = root.appending(path: "block")
        try FileManager.default.createDirectory(at: block, withIntermediateDirectories: true)
        for (number, device) in [("8:0", "sda"), ("8:1", "sda/sda1"), ("253:0", "dm-0")] {
            #expect(symlink("../devices/\(device)", block.appending(path: number).path) == 0)
        }
        try test(block.path)
    }

    @Test func `the bytes of a control group are those of the disk whose partition holds the containers`()
        throws
    {
        try withDevices { devices in
            func bytes(on number: String, _ text: String) -> Int64? {
                ContainerDisk(of: "/state", on: number, mounts: "", devices: devices).writtenBytes(inGroup: text)
            }
            let text = "8:16 rbytes=1 wbytes=5 rios=1\n8:0 rbytes=4096 wbytes=700 rios=1 wios=2\n253:0 wbytes=9\n"
            #expect(bytes(on: "8:1", text) == 700 && bytes(on: "8:0", text) == 700 && bytes(on: "253:0", text) == 9)
            #expect(bytes(on: "8:1", "8:16 rbytes=1 wbytes=5\n") == 0)
            #expect(bytes(on: "8:1", "8:0 rbytes=1\n") == nil)
            #expect(ContainerDisk(of: "/state", on: "8:1", mounts: "", devices: devices).uncounted == nil)
        }
    }

    /// The arguments are device numbers: of an anonymous device, of a device that the directory of block devices does
    /// not have, and an empty one.
    @Test(arguments: ["0:45", "8:17", ""])
    func `the bytes of a control group are unknown for a disk that is no block device, with the cause`(
        _ number: String
    ) throws {
        try withDevices { devices in
            let disk = ContainerDisk(of: "/state", on: number, mounts: "", devices: devices)
            #expect(disk.writtenBytes(inGroup: "\(number) wbytes=5\n8:0 wbytes=700\n") == nil)
            #expect(disk.uncounted?.contains("/state: its device \(number) is no disk") == true)
        }
    }

    @Test(arguments: ["tmpfs", "ramfs", "rootfs", "ext4"])
    func `a tmpfs, a ramfs and the root of an initramfs are disks in memory`(_ type: String) {
        let mounts = "22 1 0:9 / / rw,relatime shared:1 - \(type) none rw\n23 1 8:1 / /boot rw - tmpfs none rw\n"
        let disk = ContainerDisk(of: "/state", on: "0:9", mounts: mounts, devices: "/sys/dev/block")
        #expect(disk.isInMemory == (type != "ext4"))
        #expect(disk.uncounted?.contains("disk in memory") == (type != "ext4"))
        #expect(disk.writtenBytes(inGroup: "0:9 wbytes=5\n") == nil)
    }

    @Test func `the free space of a disk in memory and of a directory that does not exist is not deferred`() {
        #expect(!memory.defersFreeSpace && !ContainerDisk(of: "/there/is/no/disk").defersFreeSpace)
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
        #expect(ContainerDisk.contents(of: directory.path, since: WallTime(nanoseconds: 0))?.created == 4)
        #expect(ContainerDisk.contents(of: directory.path, since: WallTime(nanoseconds: .max))?.created == 0)
        #expect(ContainerDisk.contents(of: directory.path + "/none", since: WallTime(nanoseconds: 0)) == nil)
    }

    @Test func `files created since a time are counted in 64 levels of directories: the count is a lower bound`() throws
    {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bgtask-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let inner = directory.appending(path: Array(repeating: "d", count: 70).joined(separator: "/"))
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        #expect(ContainerDisk.contents(of: directory.path, since: WallTime(nanoseconds: 0))?.created == 64)
    }

    @Test func `the bytes of a container's files and symbolic links are measured, those of a hard link once`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bgtask-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        func bytes() throws -> Int64 {
            try #require(ContainerDisk.contents(of: directory.path, since: WallTime(nanoseconds: 0))).bytes
        }
        let empty = try bytes()
        let file = directory.appending(path: "file").path
        try Data(repeating: 1, count: 1 << 20).write(to: URL(filePath: file))
        let one = try bytes()
        #expect(one >= empty + 1 << 20)
        try #require(link(file, directory.appending(path: "second").path) == 0)
        let linked = try bytes()
        #expect(linked < one + 1 << 19)
        // Longer than the inode of any file system of the tests: the target takes a block.
        let target = String(repeating: "x", count: 2_000)
        try #require(symlink(target, directory.appending(path: "symbolic").path) == 0)
        #expect(try bytes() > linked)
    }

    // In a program of its own, which root runs as another user: root opens every directory.
    @Test func `files in a directory that its owner has closed are counted, and the directory keeps its mode`() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "bgtask-\(UUID())")
        let container = directory.appending(path: "container")
        let inner = container.appending(path: "closed")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        defer {
            for path in [container.path, inner.path] { chmod(path, 0o700) }
            try? FileManager.default.removeItem(at: directory)
        }
        for name in ["a", "b"] { try Data().write(to: inner.appending(path: name)) }
        let user = getuid() == 0 ? UInt32.random(in: 1 << 20..<1 << 21) : getuid()
        try #require(chmod(directory.path, 0o755) == 0)
        for path in [inner.path, container.path] {
            try #require(chown(path, user, getgid()) == 0 && chmod(path, 0) == 0)
        }
        let measuring = try Self.compileMeasuring(in: directory.path)
        #expect(StandIn.spawn([measuring, container.path, "\(user)"]) == 3 << 8)
        for path in [container.path, inner.path] {
            if path == inner.path { try #require(chmod(container.path, 0o700) == 0) }
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0)
        }
    }

    /// Compiles a program that becomes the user in its second argument, and whose exit status is the number of entries
    /// in the directory in its first one.
    private static func compileMeasuring(in directory: String) throws -> String {
        let library = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/CLinux")
            .standardized.path
        let source = """
            #define _GNU_SOURCE
            #include "bgl_tree.h"

            #include <stdlib.h>
            #include <unistd.h>

            int main(int count, char **arguments) {
                const uid_t user = (uid_t)atoi(arguments[count - 1]);
                if (user != getuid() && setresuid(user, user, user) != 0) return 90;
                int64_t created = 0, bytes = 0;
                return bgl_measure_tree(arguments[1], 0, 1000, &created, &bytes) == 0 ? (int)created : 91;
            }
            """
        let (program, file) = ("\(directory)/measure", "\(directory)/measure.c")
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        try StandIn.compile(["-o", program, file, "\(library)/tree.c", "-I", "\(library)/include"])
        return program
    }
}
