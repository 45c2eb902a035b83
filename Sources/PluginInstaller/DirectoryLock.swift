// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// A lock on a directory of the operator, so that two commands do not change its files at the same time. It ends with
/// the value, and with the process.
///
/// The lock is a file in the directory that only its owner can open: a user who can only read the directory cannot hold
/// it. The file exists only while a command holds the lock, or after the process of one ended without releasing it.
package final class DirectoryLock: Sendable {
    /// Name of the lock file in the directory. A host does not read it as a manifest, because its name begins with a
    /// dot.
    static let name = ".bgtask.lock"

    private let file: Descriptor
    private let path: String
    /// Directories that were created for the lock, the outermost first. They are deleted with the lock if they are
    /// empty.
    private let madeDirectories: [String]

    /// Takes the lock of a directory; nil when the directory is missing and not created, so that there is no file to
    /// protect. Throws when the lock cannot be taken, as while another process holds it.
    ///
    /// - Parameters:
    ///   - isCreating: whether a missing directory is created, because the caller adds a file.
    ///   - attempts: number of attempts, at intervals of a tenth of a second.
    package init?(on directory: String, isCreating: Bool = false, attempts: Int = 1) throws(InstallationError) {
        let made = isCreating ? Self.make(directory) : []
        if !isCreating, !FilePlace.exists(directory) { return nil }
        path = "\(directory)/\(Self.name)"
        madeDirectories = made
        var left = attempts
        while true {
            let file = try Self.open(path)
            if flock(file.number, LOCK_EX | LOCK_NB) == 0 {
                // The previous owner deletes the file before it releases the lock.
                guard Self.isFile(file, at: path) else { continue }
                self.file = file
                break
            }
            let error = errno
            if error == EINTR { continue }
            if error != EWOULDBLOCK {
                throw InstallationError(
                    "\(path) cannot be locked: \(String(cString: strerror(error)))",
                    remedy: "use a directory of a file system that has locks"
                )
            }
            left -= 1
            if left <= 0 {
                let owner = Self.owner(in: file).map { " (process \($0))" } ?? ""
                throw InstallationError(
                    "another bgtask command\(owner) is changing the files of \(directory)",
                    remedy: "finish or interrupt that command, and run this one again"
                )
            }
            usleep(100_000)
        }
        ftruncate(file.number, 0)
        _ = "\(getpid())".withCString { write(file.number, $0, strlen($0)) }
    }

    deinit {
        unlink(path)
        for directory in madeDirectories.reversed() { rmdir(directory) }
    }

    private static func open(_ path: String) throws(InstallationError) -> Descriptor {
        let file = Descriptor(owning: Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600))
        if file.number < 0 {
            let directory = FilePlace.directory(of: path)
            let remedy =
                switch errno {
                case ENOENT: "run the command as a user who may create \(directory)"
                case ENOSPC, EDQUOT: "free space on the disk of \(directory)"
                case EROFS: "mount the disk of \(directory) for writing"
                default: "run the command as the owner of \(directory)"
                }
            throw InstallationError(
                "\(directory) cannot be locked: cannot create \(path): \(String(cString: strerror(errno)))",
                remedy: remedy
            )
        }
        // After a command of root, the owner of the directory must be able to lock it.
        var status = stat()
        if geteuid() == 0, stat(FilePlace.directory(of: path), &status) == 0 {
            fchown(file.number, status.st_uid, status.st_gid)
        }
        return file
    }

    private static func isFile(_ file: Descriptor, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        guard fstat(file.number, &opened) == 0, lstat(path, &named) == 0 else { return false }
        return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
    }

    /// The process that the file names; nil when it names none.
    private static func owner(in file: Descriptor) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = buffer.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Int32(String(decoding: buffer.prefix(count), as: UTF8.self)) : nil
    }

    /// Creates a missing directory with the missing ones above it. Returns the created ones, the outermost first.
    private static func make(_ directory: String) -> [String] {
        if mkdir(directory, 0o755) == 0 { return [directory] }
        guard errno == ENOENT, directory != "/" else { return [] }
        let above = make(FilePlace.directory(of: directory))
        return mkdir(directory, 0o755) == 0 ? above + [directory] : above
    }
}
