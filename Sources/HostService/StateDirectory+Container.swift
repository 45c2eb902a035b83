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

    /// The users that own the files of containers. After a change of `plugin-users` they are users of the earlier
    /// range.
    func ownersOfContainers() -> Set<UInt32> {
        var owners: Set<UInt32> = []
        for name in containers() {
            var status = stat()
            guard lstat(containerPath(of: name), &status) == 0 else { continue }
            owners.insert(isClosed(status) ? status.st_gid : status.st_uid)
        }
        return owners
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

    /// Gives a container that belongs to another user than the present one of its plugin to the host's user, so that no
    /// plugin enters it until `makeContainer` has changed the owner of its files. Does nothing to other containers. Its
    /// cost does not depend on the number of files.
    ///
    /// - Parameter user: the present user of the plugin; nil when it has none.
    func closeContainer(of plugin: String, unlessOf user: UInt32?) throws(HostError) {
        do throws(SystemError) {
            let container = containerPath(of: plugin)
            let (directory, status) = try openContainer(container)
            if status.st_uid == geteuid() || status.st_uid == user { return }
            let attempt = "close the container \(container)"
            // The mode first: a container that the host's user owns counts as closed.
            if fchmod(directory.number, Self.closedMode) != 0 { throw SystemError(number: errno, attempt: attempt) }
            if fchown(directory.number, geteuid(), status.st_uid) != 0 {
                throw SystemError(number: errno, attempt: attempt)
            }
        } catch {
            throw unusable(plugin, error)
        }
    }

    /// Mode of a container that `closeContainer` gave to the host's user. The container's group is the number of the
    /// user that owns the files in it.
    private static let closedMode: mode_t = 0o1700

    /// Whether `closeContainer` closed a container. A plugin with the host's user can set the mode of its container,
    /// and not its group.
    private func isClosed(_ status: stat) -> Bool {
        status.st_uid == geteuid() && status.st_mode & 0o7777 == Self.closedMode && status.st_gid != getegid()
    }

    /// Creates the container of a main plugin if it is missing, with access for its owner only, and restores the
    /// permissions of its owner. Throws when a system call fails, and when its path leads to anything but a directory:
    /// a symbolic link would open another place to the plugin. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - user: the user and group that own the container; nil for the host's user. If the container has another
    ///     owner, because the operator changed `plugin-users`, its files get the new one, and the container itself
    ///     last.
    ///   - limit: maximum number of files that get another owner.
    /// - Returns: false when some files still have another owner: no launch may use the container before a further call
    ///   returns true.
    @discardableResult
    func makeContainer(of plugin: String, user: UInt32? = nil, atMost limit: Int32 = .max) throws(HostError) -> Bool {
        do throws(SystemError) {
            return try makeContainer(containerPath(of: plugin), of: user, limit)
        } catch {
            throw unusable(plugin, error)
        }
    }

    private func unusable(_ plugin: String, _ error: SystemError) -> HostError {
        let remedy =
            error.number == EMFILE
            ? "raise the host's limit of open files (RLIMIT_NOFILE, LimitNOFILE= of its service)"
            : "find the problem with: bgtask host check --state-directory \(path)"
        let isOther = error.number == ENOTDIR || error.number == ELOOP
        return HostError(
            code: .stateDirectoryUnusable,
            message: isOther
                ? "the container \(containerPath(of: plugin)) is not a directory; remove the file or link at this path"
                : "\(error); \(remedy)"
        )
    }

    /// Opens a container. A plugin can have taken away the permissions of its owner with `fchmod`: they are restored
    /// if the host may not open the container without them.
    private func openContainer(_ container: String) throws(SystemError) -> (directory: Descriptor, status: stat) {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        var number = bgl_open(AT_FDCWD, container, flags)
        if number == -EACCES {
            try Self.restorePermissions(of: container)
            number = bgl_open(AT_FDCWD, container, flags)
        }
        let directory = Descriptor(owning: try SystemError.check(number, "open the container \(container)"))
        var status = stat()
        guard fstat(directory.number, &status) == 0 else {
            throw SystemError(number: errno, attempt: "examine the container \(container)")
        }
        return (directory, status)
    }

    private static func restorePermissions(of container: String) throws(SystemError) {
        let opened = try SystemError.check(bgl_open_place(container, 0), "open the container \(container)")
        let place = Descriptor(owning: opened)
        // The link leads to the opened directory, whatever is at its path now. `fchmod` refuses such a descriptor.
        if chmod("/proc/self/fd/\(place.number)", 0o700) != 0 {
            throw SystemError(number: errno, attempt: "restore the permissions of the container \(container)")
        }
    }

    private func makeContainer(_ container: String, of user: UInt32?, _ limit: Int32) throws(SystemError) -> Bool {
        if mkdir(container, 0o700) != 0, errno != EEXIST {
            throw SystemError(number: errno, attempt: "create the container \(container)")
        }
        let (directory, status) = try openContainer(container)
        let (owner, group) = (user ?? geteuid(), user ?? getegid())
        let isClosed = self.isClosed(status)
        if status.st_uid != owner || isClosed {
            let from = isClosed ? status.st_gid : status.st_uid
            let isLeft = try SystemError.check(
                bgl_give_tree(directory.number, from, owner, group, limit),
                "give the container \(container) to user \(owner)"
            )
            if isLeft != 0 { return false }
        }
        // The operator may open a container of the host's user to a group. The owner's permissions are restored always,
        // because its plugin can take them away.
        let isChecked: mode_t = user == nil && !isClosed ? 0o1700 : 0o7777
        if status.st_mode & isChecked != 0o700, fchmod(directory.number, 0o700) != 0 {
            throw SystemError(number: errno, attempt: "make the container \(container) private")
        }
        return true
    }
}
