// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Replaces files so that a reader sees the old or the new content, also after a power loss.
package enum AtomicFile {
    /// Replaces the content of a file, or creates the file with the mode 0644. Keeps the mode of an existing file, its
    /// owner where the system permits it, and a symbolic link that leads to a file.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
        let target = resolved(path)
        let directory = FilePlace.directory(of: target)
        let temporary = "\(directory)/.\(FilePlace.name(of: target)).new-\(getpid())"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(number: errno, attempt: "write \(path)") }
        defer { close(descriptor) }
        do throws(SystemError) {
            try FileBytes.write(bytes[...], to: descriptor, for: "write \(path)")
            var status = stat()
            let mode = stat(target, &status) == 0 ? status.st_mode & 0o7777 : 0o644
            if status.st_ino != 0, status.st_uid != geteuid() || status.st_gid != getegid() {
                _ = fchown(descriptor, status.st_uid, status.st_gid)
            }
            guard fchmod(descriptor, mode) == 0, fsync(descriptor) == 0, rename(temporary, target) == 0 else {
                throw SystemError(number: errno, attempt: "write \(path)")
            }
        } catch {
            unlink(temporary)
            throw error
        }
        if let place = try? Descriptor(opening: directory, flags: O_RDONLY | O_DIRECTORY) { fsync(place.number) }
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
