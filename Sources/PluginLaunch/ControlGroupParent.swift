// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging

/// Where a host's control groups are to lie.
package enum ControlGroupPlacement: Hashable, Sendable {
    /// Launches have none: their processes are found by session and mark alone.
    case none
    /// In the host's own group, if the host may make groups there.
    case detected
    /// In this folder of a cgroup v2 hierarchy.
    case under(String)
}

/// The control group that holds the groups of one launcher's launches. Holds no process itself.
///
/// A lock on its folder tells whether its host lives; a process number would not, across namespaces.
struct ControlGroupParent {
    static let prefix = "bgtask-"

    let path: String
    /// The folder that it was made in.
    let container: String
    private let lock: Descriptor

    /// Nil when there is no place for it; the log says why. A place that was named must be one.
    init?(_ placement: ControlGroupPlacement, logger: Logger) throws(LaunchError) {
        switch placement {
        case .none:
            return nil
        case .detected:
            guard let container = Self.ownGroup() else {
                logger.info("launches have no control groups: no cgroup v2 hierarchy is mounted")
                return nil
            }
            do throws(Unusable) {
                try self.init(in: container)
            } catch {
                logger.warning("launches have no control groups: \(error.reason)")
                return nil
            }
        case .under(let container):
            do throws(Unusable) {
                try self.init(in: container)
            } catch {
                throw LaunchError(
                    code: .refused,
                    message:
                        "cgroup: \(error.reason); name a folder of a cgroup v2 hierarchy that the host may write to"
                        + " (a service has one with Delegate=yes), or none for no control groups"
                )
            }
        }
    }

    /// Why no groups can be made in a folder.
    private struct Unusable: Error {
        let reason: String

        static func unless<Value>(_ attempt: () throws(SystemError) -> Value) throws(Unusable) -> Value {
            do {
                return try attempt()
            } catch {
                throw Unusable(reason: "cannot \(error.attempt): \(error.meaning)")
            }
        }
    }

    private init(in container: String) throws(Unusable) {
        let folder = try Unusable.unless { () throws(SystemError) in
            try Descriptor(opening: container, flags: O_RDONLY | O_DIRECTORY)
        }
        guard bgl_is_cgroup(folder.number) == 1 else {
            throw Unusable(reason: "\(container) is not in a cgroup v2 hierarchy")
        }
        let path = "\(container)/\(Self.prefix)\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        lock = try Unusable.unless { () throws(SystemError) in
            let lock = try ControlGroup(creating: path).open()
            try SystemError.check(bgl_lock(lock.number), "lock the control group \(path)")
            return lock
        }
        self.path = path
        self.container = container
        // Whoever delegated the container decides which controllers there are; none is needed.
        for controller in ["+memory", "+pids"] {
            _ = bgl_write_file(AT_FDCWD, "\(path)/cgroup.subtree_control", controller)
        }
    }

    func makeGroup(named name: String) throws(SystemError) -> ControlGroup {
        try ControlGroup(creating: "\(path)/\(name)")
    }

    func remove() {
        _ = ControlGroup(path: path).remove()
    }

    /// What hosts that are gone left in the same place.
    func leftovers() -> [ControlGroup] {
        FolderNames.folders(in: container).compactMap { name in
            let path = "\(container)/\(name)"
            guard name.hasPrefix(Self.prefix), path != self.path,
                let folder = try? Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY),
                bgl_lock(folder.number) == 0
            else { return nil }
            return ControlGroup(path: path)
        }
    }

    /// The folder of the host's own group in the unified hierarchy.
    private static func ownGroup() -> String? {
        guard let groups = FileBytes.text("/proc/self/cgroup"), let mounts = FileBytes.text("/proc/self/mountinfo"),
            let own = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::") })?.dropFirst(3)
        else { return nil }
        return ownGroup(own: String(own), mounts: mounts)
    }

    /// - Parameters:
    ///   - own: the group's path in the hierarchy.
    ///   - mounts: as in `/proc/self/mountinfo`.
    static func ownGroup(own: String, mounts: String) -> String? {
        for line in mounts.split(separator: "\n") {
            let halves = line.split(separator: " - ", maxSplits: 1)
            guard halves.count == 2, halves[1].hasPrefix("cgroup2 ") else { continue }
            let fields = halves[0].split(separator: " ")
            guard fields.count > 4 else { continue }
            let (root, mountPoint) = (String(fields[3]), String(fields[4]))
            if root == "/" { return own == "/" ? mountPoint : mountPoint + own }
            if own == root { return mountPoint }
            if own.hasPrefix(root + "/") { return mountPoint + own.dropFirst(root.count) }
        }
        return nil
    }
}
