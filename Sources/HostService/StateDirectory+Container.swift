// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import HostConfiguration
import LinuxSystem

// Containers. They are created and examined through descriptors, because a plugin owns its container.
extension StateDirectory {
    /// Whether a main plugin has a container.
    func hasContainer(of plugin: String) -> Bool { access(containerPath(of: plugin), F_OK) == 0 }

    /// The names of the containers: the identifiers of main plugins, without discarded containers.
    func containers() -> [String] {
        FilePlace.names(in: containerDirectory).filter { name in
            !name.hasPrefix(".") && FilePlace.isDirectory(containerPath(of: name))
        }
    }

    /// The owners of discarded containers that are not deleted yet.
    func ownersOfDiscarded() -> Set<UInt32> {
        let names = FilePlace.names(in: containerDirectory).filter { $0.hasPrefix(Self.discardedPrefix) }
        return Set(
            names.compactMap { name in
                var status = stat()
                return lstat("\(containerDirectory)/\(name)", &status) == 0 ? status.st_uid : nil
            }
        )
    }

    /// Gives the discarded containers to the host's user, so that no plugin can enter them. The files below keep their
    /// owners.
    func closeDiscarded() {
        for name in FilePlace.names(in: containerDirectory) where name.hasPrefix(Self.discardedPrefix) {
            lchown("\(containerDirectory)/\(name)", geteuid(), getegid())
        }
    }

    /// Creates the container of a main plugin if it is missing, with access for its owner only. Throws when its path
    /// leads to anything but a directory: a symbolic link would open another place to the plugin. Blocks on the disk.
    ///
    /// - Parameter user: the user and group that own the container; nil for the host's user. If the container has another
    ///   owner, because the operator changed `plugin-users`, all its files get the new one.
    func makeContainer(of plugin: String, user: UInt32? = nil) throws(HostError) {
        do throws(SystemError) {
            try makeContainer(containerPath(of: plugin), of: user)
        } catch {
            let remedy =
                error.number == EMFILE
                ? "raise the host's limit of open files (RLIMIT_NOFILE, LimitNOFILE= of its service)"
                : "find the problem with: bgtask host check --state-directory \(path)"
            let isOther = error.number == ENOTDIR || error.number == ELOOP
            throw HostError(
                code: .stateDirectoryUnusable,
                message: isOther
                    ? "the container \(containerPath(of: plugin)) is not a directory; remove the file or link at this path"
                    : "\(error); \(remedy)"
            )
        }
    }

    private func makeContainer(_ container: String, of user: UInt32?) throws(SystemError) {
        if mkdir(container, 0o700) != 0, errno != EEXIST {
            throw SystemError(number: errno, attempt: "create the container \(container)")
        }
        let directory = Descriptor(owning: open(container, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
        var status = stat()
        guard directory.number >= 0, fstat(directory.number, &status) == 0 else {
            throw SystemError(number: errno, attempt: "open the container \(container)")
        }
        let (owner, group) = (user ?? geteuid(), user ?? getegid())
        if status.st_uid != owner {
            try SystemError.check(
                bgl_give_tree(directory.number, status.st_uid, owner, group),
                "give the container \(container) to user \(owner)"
            )
        }
        if user != nil, status.st_mode & 0o7777 != 0o700, fchmod(directory.number, 0o700) != 0 {
            throw SystemError(number: errno, attempt: "make the container \(container) private")
        }
    }
}
