// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import TaskModel

/// A Landlock ruleset under construction: the rights that are refused, and the places and ports at which some of these
/// rights are granted.
struct LandlockRuleset: ~Copyable {
    private let descriptor: Int32
    private let files: UInt64

    init(_ rights: LandlockRights) throws(SystemError) {
        descriptor = try SystemError.check(
            bgl_landlock_create(rights.files, rights.network, rights.scopes),
            "create a Landlock ruleset"
        )
        files = rights.files
    }

    deinit { close(descriptor) }

    /// Grants access to an opened place. A file gets the rights that exist for files.
    func allow(_ place: borrowing Place, _ rights: UInt64) throws(SystemError) {
        let fitting = place.isDirectory ? rights : rights & ~Landlock.ofDirectories
        // The kernel rejects a rule without rights: this kernel does not confine the access.
        if fitting & files == 0 { return }
        try SystemError.check(
            bgl_landlock_allow(descriptor, place.descriptor, fitting & files),
            "grant access to \(place.path)"
        )
    }

    /// Grants rights to a TCP port.
    func allow(port: UInt16, _ rights: UInt64) throws(SystemError) {
        try SystemError.check(bgl_landlock_allow_port(descriptor, port, rights), "grant access to port \(port)")
    }

    func restrict() throws(SystemError) {
        try SystemError.check(bgl_landlock_restrict(descriptor), "restrict the process with Landlock")
    }
}

/// A file or directory that was opened without access to its contents.
struct Place: ~Copyable {
    let path: String
    let descriptor: Int32
    let isDirectory: Bool
    let file: FileKey

    /// Opens the place at a path; nil when it cannot be opened.
    ///
    /// - Parameter follows: whether a symbolic link at the end of the path is followed; when false, the place must be a
    ///   directory.
    init?(_ path: String, follows: Bool = true) {
        let descriptor = bgl_open_place(path, follows ? 1 : 0)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            if descriptor >= 0 { close(descriptor) }
            return nil
        }
        self.path = path
        self.descriptor = descriptor
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        file = FileKey(status)
    }

    deinit { close(descriptor) }

    /// The path without symbolic links; nil when the kernel does not show it.
    var resolvedPath: String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                filled = max(0, readlink("/proc/self/fd/\(descriptor)", $0, buffer.count))
            }
        }
        return bytes.first == UInt8(ascii: "/") ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
