// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import HostConfiguration
import LinuxSystem
import TaskModel

// The staging directory of transfers in a container. The plugin owns the container and can replace anything in it at
// any time: every name is resolved in an open directory, and never through a symbolic link.
extension StateDirectory {
    /// Creates the staging directory in the container of a main plugin if it is missing. Throws when the name leads to
    /// anything but a directory. Blocks on the disk.
    func makeStaging(of plugin: String, user: UInt32?) throws(HostError) {
        let path = "\(containerPath(of: plugin))/\(Transfer.directory)"
        do throws(SystemError) {
            let container = try Descriptor(opening: containerPath(of: plugin), flags: Self.directoryOnly)
            let isNew = mkdirat(container.number, Transfer.directory, 0o700) == 0
            if !isNew, errno != EEXIST {
                throw SystemError(number: errno, attempt: "create the staging directory \(path)")
            }
            let opened = bgl_open(container.number, Transfer.directory, Self.directoryOnly)
            let staging = Descriptor(owning: try SystemError.check(opened, "open the staging directory \(path)"))
            if isNew, let user, fchown(staging.number, user, user) != 0 {
                throw SystemError(number: errno, attempt: "give the staging directory \(path) to user \(user)")
            }
        } catch {
            throw HostError(
                code: .stateDirectoryUnusable,
                message: "\(error); remove the file or link at this path, so that the host can make a directory there"
            )
        }
    }

    /// Deletes the files of the staging directory whose names are not among `kept`. Directories stay, and so does what
    /// cannot be deleted: the next sweep tries again. Blocks on the disk.
    func sweepStaging(of plugin: String, keeping kept: Set<String>) {
        guard let container = try? Descriptor(opening: containerPath(of: plugin), flags: Self.directoryOnly) else {
            return
        }
        let opened = bgl_open(container.number, Transfer.directory, Self.directoryOnly)
        guard opened >= 0 else { return }
        let staging = Descriptor(owning: opened)
        // The link leads to the opened directory, whatever is at its path now.
        for name in FilePlace.names(in: "/proc/self/fd/\(staging.number)") where !kept.contains(name) {
            unlinkat(staging.number, name, 0)
        }
    }

    private static let directoryOnly = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
}
