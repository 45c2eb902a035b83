// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc

/// Deletes a directory tree in parts of bounded work. Each name is resolved in an open directory and never through a
/// symbolic link: another user may own the tree and change it at the same time.
///
/// Several removals of one tree may run at the same time: each treats an entry that is missing as deleted.
///
/// A directory below the top is emptied by moving its directories to the top, so that neither descriptors nor stack
/// grow with the depth of the tree.
package struct TreeRemoval {
    /// A name in a directory: the bytes with their terminating zero, because names need not be UTF-8.
    private typealias Name = [CChar]

    /// Maximum number of names that are read from a directory at once.
    private static let batch = 256

    /// `O_PATH`, which Swift does not import: the directory is opened whatever its permissions are.
    private static let pathOnly: Int32 = 0o10_000_000

    private let top: Descriptor
    private let device: dev_t
    private let path: String
    /// Number of entries that may still be deleted or moved.
    private var rest: Int

    /// Deletes the file or directory tree `name` in a directory. At most `limit` entries of the tree are deleted or
    /// moved. Returns whether a part is left; false when nothing is at this place. Blocks on the disk.
    ///
    /// - Parameter directory: a directory that only this user can change.
    package static func removePart(of name: String, in directory: String, atMost limit: Int) throws(SystemError) -> Bool
    {
        let place = try Descriptor(opening: directory, flags: O_RDONLY | O_DIRECTORY)
        let (path, bytes) = ("\(directory)/\(name)", Array(name.utf8CString))
        if try remove(bytes, in: place, path) { return false }
        guard var removal = try TreeRemoval(bytes, in: place, path, limit) else { return false }
        if try removal.empty() { return true }
        return try !remove(bytes, in: place, path)
    }

    /// Opens the directory `name` in `place` for its removal; nil when the directory is missing.
    ///
    /// - Parameters:
    ///   - path: the path of the directory, for errors.
    ///   - limit: the maximum number of entries to delete.
    private init?(_ name: Name, in place: Descriptor, _ path: String, _ limit: Int) throws(SystemError) {
        guard let top = try Self.open(name, in: place, path) else { return nil }
        self.top = top
        var status = stat()
        guard fstat(top.number, &status) == 0 else { throw SystemError(number: errno, attempt: "examine \(path)") }
        (device, self.path, rest) = (status.st_dev, path, limit)
    }

    /// Deletes the entries of the top directory of the tree until `rest` is used up. Returns whether some are left.
    private mutating func empty() throws(SystemError) -> Bool {
        while true {
            let names = try Self.names(in: top, path)
            if names.isEmpty { return false }
            for name in names {
                if rest <= 0 { return true }
                rest -= 1
                if try !Self.remove(name, in: top, path) { try lift(name) }
            }
        }
    }

    /// Deletes a directory in `top`, the tree's root: deletes its files and empty directories, and moves its other
    /// directories to `top`. Stops when `rest`, the number of entries that may still be deleted, is used up.
    private mutating func lift(_ name: Name) throws(SystemError) {
        guard let directory = try Self.open(name, in: top, path) else { return }
        var status = stat()
        guard fstat(directory.number, &status) == 0 else {
            throw SystemError(number: errno, attempt: "examine a directory in \(path)")
        }
        if status.st_dev != device {
            let attempt = "delete \(path), which contains a mounted file system or a subvolume"
            throw SystemError(number: EXDEV, attempt: attempt)
        }
        while true {
            let names = try Self.names(in: directory, path)
            if names.isEmpty { break }
            for inner in names {
                if rest <= 0 { return }
                rest -= 1
                if try !Self.remove(inner, in: directory, path) { try move(inner, from: directory) }
            }
        }
        _ = try Self.remove(name, in: top, path)
    }

    private func move(_ name: Name, from directory: Descriptor) throws(SystemError) {
        let random = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        let unique = Array(random.joined(separator: "-").utf8CString)
        if renameat(directory.number, name, top.number, unique) == 0 || errno == ENOENT { return }
        // A move changes the entry `..` of the moved directory, which its permissions may forbid.
        if errno == EACCES, try !Self.makeAccessible(name, in: directory, path) { return }
        guard renameat(directory.number, name, top.number, unique) == 0 || errno == ENOENT else {
            throw SystemError(number: errno, attempt: "move a directory in \(path)")
        }
    }

    /// Deletes a file, a symbolic link or an empty directory. Returns true also for a missing entry, and false for a
    /// directory with entries.
    private static func remove(_ name: Name, in directory: Descriptor, _ path: String) throws(SystemError) -> Bool {
        if unlinkat(directory.number, name, 0) == 0 || errno == ENOENT { return true }
        let error = errno
        if unlinkat(directory.number, name, AT_REMOVEDIR) == 0 || errno == ENOENT { return true }
        if errno == ENOTEMPTY || errno == EEXIST { return false }
        throw SystemError(number: errno == ENOTDIR ? error : errno, attempt: "delete an entry of \(path)")
    }

    /// Opens a directory; nil when it is missing.
    private static func open(_ name: Name, in directory: Descriptor, _ path: String) throws(SystemError) -> Descriptor?
    {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        let attempt = "open a directory in \(path)"
        var number = bgl_open(directory.number, name, flags)
        if number == -EACCES {
            if try !makeAccessible(name, in: directory, path) { return nil }
            number = bgl_open(directory.number, name, flags)
        }
        if number == -ENOENT { return nil }
        let opened = Descriptor(owning: try SystemError.check(number, attempt))
        // Entries cannot be deleted without the permission to write.
        var status = stat()
        if fstat(opened.number, &status) == 0, status.st_mode & 0o700 != 0o700 { fchmod(opened.number, 0o700) }
        return opened
    }

    /// Gives the owner of a directory all permissions. Returns false when the directory is missing.
    private static func makeAccessible(
        _ name: Name,
        in directory: Descriptor,
        _ path: String
    ) throws(SystemError) -> Bool {
        let number = bgl_open(directory.number, name, pathOnly | O_DIRECTORY | O_NOFOLLOW)
        if number == -ENOENT { return false }
        let place = Descriptor(owning: try SystemError.check(number, "open a directory in \(path)"))
        // The link leads to the opened directory, whatever is at its path now.
        if chmod("/proc/self/fd/\(place.number)", 0o700) != 0 {
            throw SystemError(number: errno, attempt: "change the permissions of a directory in \(path)")
        }
        return true
    }

    private static func names(in directory: Descriptor, _ path: String) throws(SystemError) -> [Name] {
        let opened = bgl_open(directory.number, ".", O_RDONLY | O_DIRECTORY)
        // The open directory was deleted.
        if opened == -ENOENT { return [] }
        let copy = try SystemError.check(opened, "list a directory in \(path)")
        guard let stream = fdopendir(copy) else {
            let error = errno
            close(copy)
            throw SystemError(number: error, attempt: "list a directory in \(path)")
        }
        defer { closedir(stream) }
        var names: [Name] = []
        while names.count < batch {
            // A failed reading would look like an empty directory, which cannot be deleted, and repeat for ever.
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw SystemError(number: errno, attempt: "list a directory in \(path)") }
                break
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
            }
            if name != [0x2e, 0], name != [0x2e, 0x2e, 0] { names.append(name) }
        }
        return names
    }
}
