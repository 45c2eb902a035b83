// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// The access of a user without supplementary groups to files, by owner, group and mode. The group has the number of
/// the user, as in a runner.
struct UserAccess {
    static let read: mode_t = 4
    static let write: mode_t = 2
    static let execute: mode_t = 1

    /// The user whose access is examined; nil for the user of this process.
    let user: UInt32?

    /// The first file on the way to a path that refuses the access; nil when the user can use the path. For the user of
    /// this process, the path itself stands for that file. Files with an access control list count as accessible,
    /// because their mode does not decide.
    ///
    /// - Parameter path: the path of an existing file.
    func obstacle(to path: String, _ rights: mode_t) -> String? {
        guard let user else { return access(path, Int32(rights)) == 0 ? nil : path }
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        let target = String(cString: real)
        var places: [String] = []
        var directory = target
        while directory != "/" {
            directory = FilePlace.directory(of: directory)
            places.insert(directory, at: 0)
        }
        return places.first { !permits($0, Self.execute, user) } ?? (permits(target, rights, user) ? nil : target)
    }

    private func permits(_ path: String, _ rights: mode_t, _ user: UInt32) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return false }
        let shift: mode_t = status.st_uid == user ? 6 : status.st_gid == user ? 3 : 0
        return status.st_mode >> shift & rights == rights || bgl_has_access_list(path) != 0
    }
}
