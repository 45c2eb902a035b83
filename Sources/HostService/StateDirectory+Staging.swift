// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import HostConfiguration
import LinuxSystem
import TaskLedger
import TaskModel

// The staging directory of transfers in a container. The plugin owns the container and can replace anything in it at
// any time: every name is resolved in an open directory, and never through a symbolic link.
extension StateDirectory {
    /// Creates the staging directory in the container of a main plugin if it is missing, and gives it to the plugin's
    /// user. Throws when the name leads to anything but a directory. Blocks on the disk.
    func makeStaging(of plugin: String, user: UInt32?) throws(HostError) {
        let path = "\(containerPath(of: plugin))/\(Transfer.directory)"
        do throws(SystemError) {
            let container = try Descriptor(opening: containerPath(of: plugin), flags: Self.directoryOnly)
            if mkdirat(container.number, Transfer.directory, 0o700) != 0, errno != EEXIST {
                throw SystemError(number: errno, attempt: "create the staging directory \(path)")
            }
            let opened = bgl_open(container.number, Transfer.directory, Self.directoryOnly)
            let staging = Descriptor(owning: try SystemError.check(opened, "open the staging directory \(path)"))
            if let user { try Self.give(staging, path, to: user) }
        } catch {
            throw HostError(
                code: .stateDirectoryUnusable,
                message: "\(error); remove the file or link at this path, so that the host can make a directory there"
            )
        }
    }

    /// Deletes the files in the staging directory of a plugin that belong to no recorded transfer, or to a taken one.
    /// The files that a running function may read stay. Blocks on the disk.
    func sweepStaging(of plugin: PluginIdentifier, by ledger: Ledger) throws(LedgerError) {
        try sweepStaging(of: plugin.text) { () throws(LedgerError) in
            Set(try ledger.transfersWithFiles(of: plugin).flatMap { [$0.place, "\($0.place).part"] })
        }
    }

    /// Deletes the files of the staging directory whose names are not among `kept`. Directories stay, and so does what
    /// cannot be deleted: the next sweep tries again. Blocks on the disk.
    ///
    /// - Parameter kept: returns the names of the files that stay. It is called after the directory is listed: a listed
    ///   file belongs to a transfer that was recorded before, so that no file of a transfer that begins meanwhile is
    ///   deleted. Not called for an empty directory.
    func sweepStaging<Failure: Error>(
        of plugin: String,
        keeping kept: () throws(Failure) -> Set<String>
    ) throws(Failure) {
        guard let container = try? Descriptor(opening: containerPath(of: plugin), flags: Self.directoryOnly) else {
            return
        }
        let opened = bgl_open(container.number, Transfer.directory, Self.directoryOnly)
        guard opened >= 0 else { return }
        let staging = Descriptor(owning: opened)
        // The link leads to the opened directory, whatever is at its path now.
        let path = "/proc/self/fd/\(staging.number)"
        guard let names = try? FilePlace.entries(of: path, atMost: Self.longestListing), !names.isEmpty else { return }
        for name in Set(names).subtracting(try kept()) { unlinkat(staging.number, name, 0) }
    }

    /// Gives a directory of the host's user to a plugin's user. A directory that exists may still be the host's own: a
    /// host that was killed after it had created the directory did not give it away.
    private static func give(_ directory: Descriptor, _ path: String, to user: UInt32) throws(SystemError) {
        var status = stat()
        guard fstat(directory.number, &status) == 0 else {
            throw SystemError(number: errno, attempt: "examine the staging directory \(path)")
        }
        if status.st_uid != geteuid() || status.st_uid == user { return }
        guard fchown(directory.number, user, user) == 0 else {
            throw SystemError(number: errno, attempt: "give the staging directory \(path) to user \(user)")
        }
    }

    /// Maximum number of names that one sweep examines: a plugin can create any number.
    private static let longestListing = 10_000

    private static let directoryOnly = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
}
