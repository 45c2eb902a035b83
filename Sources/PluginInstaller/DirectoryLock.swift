// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// A lock on a directory of the operator, so that two commands do not change its files at the same time. It ends with the
/// value, and with the process.
package final class DirectoryLock: Sendable {
    private let directory: Descriptor

    /// Takes the lock of a directory, or of its nearest existing ancestor. Throws when another process holds it.
    ///
    /// - Parameter attempts: number of attempts, at intervals of a tenth of a second.
    package init(on path: String, attempts: Int = 1) throws(InstallationError) {
        var place = path
        while place != "/", !FilePlace.exists(place) { place = FilePlace.directory(of: place) }
        let directory: Descriptor
        do throws(SystemError) {
            directory = try Descriptor(opening: place, flags: O_RDONLY | O_DIRECTORY)
        } catch {
            let remedy =
                error.number == ENOTDIR
                ? "name a directory instead of this file, or move the file away"
                : "run the command as a user who may read \(place), for example with sudo"
            throw InstallationError("\(error)", remedy: remedy)
        }
        var left = attempts
        while flock(directory.number, LOCK_EX | LOCK_NB) != 0 {
            let error = errno
            left -= 1
            if error == EINTR { continue }
            if error != EWOULDBLOCK {
                throw InstallationError(
                    "the directory \(place) cannot be locked: \(String(cString: strerror(error)))",
                    remedy: "use a directory of a file system that has locks"
                )
            }
            if left <= 0 {
                throw InstallationError(
                    "another bgtask command is changing the files of \(place)",
                    remedy: "finish or interrupt that command, and run this one again"
                )
            }
            usleep(100_000)
        }
        self.directory = directory
    }
}
