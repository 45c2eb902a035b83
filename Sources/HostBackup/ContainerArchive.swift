// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import TaskModel

/// The member `containers.tar`: all containers with their directories, links, modes and times.
enum ContainerArchive {
    /// Writes the tar file of a directory of containers, without the discarded ones. `tar` opens every directory below
    /// its parent without following links: a plugin that runs meanwhile cannot lead it to another place.
    ///
    /// - Returns: whether a file changed while it was read, because its plugin runs.
    static func write(_ directory: String, to output: CInt) throws -> Bool {
        let status = try SystemTool.tar.run(
            [
                "--create", "--file=-", "--format=posix", "--pax-option=delete=atime,delete=ctime", "--numeric-owner",
                "--sparse", "--exclude=./.purged-*", "--directory=\(directory)", "--", ".",
            ],
            output: output
        )
        // GNU tar ends with 1 when files changed while it read them.
        guard status <= 1 else {
            throw BackupError(
                "the containers in \(directory) cannot be packed: tar ended with \(status); nothing was written",
                remedy: "see the messages of tar; files of plugins with users of their own need root"
            )
        }
        return status == 1
    }

    /// Unpacks the containers into an empty directory, in which all files then belong to the user of this process.
    static func unpack(from input: CInt, into directory: String) throws {
        let status = try SystemTool.tar.run(
            [
                "--extract", "--file=-", "--no-same-owner", "--same-permissions", "--delay-directory-restore",
                "--directory=\(directory)",
            ],
            input: input
        )
        guard status == 0 else {
            throw BackupError(
                "the containers cannot be unpacked: tar ended with \(status); nothing was restored",
                remedy: "see the messages of tar"
            )
        }
        for name in FilePlace.names(in: directory) {
            guard PluginIdentifier(name) != nil, FilePlace.isDirectory("\(directory)/\(name)") else {
                throw BackupError(
                    "the backup has the entry \(name.inQuotes) among its containers, which is no directory of a plugin;"
                        + " nothing was restored"
                )
            }
        }
    }

    /// Gives a tree to a user and a group. Follows no symbolic link.
    static func give(_ path: String, to user: UInt32, _ group: UInt32) throws {
        let status = try SystemTool.chown.run(["--recursive", "--no-dereference", "-P", "--", "\(user):\(group)", path])
        if status != 0 {
            throw BackupError("\(path) cannot be given to user \(user): chown ended with \(status)")
        }
    }
}
