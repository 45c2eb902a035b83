// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// A small disk for one test, which the test may fill or make read-only. Requires the permission to mount.
struct MountedDisk {
    let path: String
    private var filler: String { path + "/filler" }

    /// Whether this process may mount file systems; determined once.
    static let isPossible: Bool = {
        guard getuid() == 0 else { return false }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = ["-m", "mount", "-t", "tmpfs", "bgtask-test", "/mnt"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    static func with(size: String, _ body: (MountedDisk) async throws -> Void) async throws {
        try await ScratchDirectory.with { directory in
            try await mount("-t", "tmpfs", "-o", "size=\(size),mode=700", "bgtask-test", directory.path)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(MountedDisk(path: directory.path)))
            } catch {
                result = .failure(error)
            }
            _ = try await ProgramRun.of("/usr/bin/umount", ["--lazy", directory.path])
            try result.get()
        }
    }

    /// Allocates a file without a name, so that the disk has this number of free bytes less until the file is closed.
    func use(bytes: Int) throws -> FileHandle {
        let file = path + "/used"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, unlink(file) == 0 else { throw HostFailure("cannot make \(file)") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let error = bytes == 0 ? 0 : posix_fallocate(descriptor, 0, bytes)
        guard error == 0 else { throw HostFailure("cannot allocate \(file): \(String(cString: strerror(error)))") }
        return handle
    }

    /// Fills the disk to the last byte.
    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw HostFailure("cannot make \(filler)") }
        defer { close(descriptor) }
        for size in [65_536, 4_096, 1] {
            let bytes = [UInt8](repeating: 0, count: size)
            while write(descriptor, bytes, size) == size {}
        }
    }

    /// Frees a part of a filled disk.
    func makeRoom(bytes: Int) throws {
        let file = try FileHandle(forUpdating: URL(filePath: filler))
        let size = try file.seekToEnd()
        try file.truncate(atOffset: size - UInt64(bytes))
        try file.close()
    }

    func makeRoom() throws { try FileManager.default.removeItem(atPath: filler) }

    func makeReadOnly() async throws { try await Self.mount("-o", "remount,ro", path) }

    func makeWritable() async throws { try await Self.mount("-o", "remount,rw", path) }

    private static func mount(_ arguments: String...) async throws {
        let run = try await ProgramRun.of("/usr/bin/mount", arguments)
        if run.status != 0 { throw HostFailure("cannot mount: \(run.error)") }
    }
}
