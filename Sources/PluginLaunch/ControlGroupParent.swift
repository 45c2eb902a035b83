// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging

/// Location of the control groups of a host's launches.
package enum ControlGroupPlacement: Hashable, Sendable {
    /// Launches have no control groups. Their processes are found by process group and process mark alone.
    case none
    /// Control groups are created in the host's own group, if the host is allowed to do so.
    case detected
    /// Control groups are created in this directory of a cgroup v2 hierarchy.
    case under(String)
}

/// The control group that contains the groups of one launcher's launches. It contains no process itself.
///
/// A lock on its directory shows that its host is alive. A process number could not show that across PID namespaces.
struct ControlGroupParent {
    static let prefix = "bgtask-"

    let path: String
    /// The directory in which the group was created.
    let container: String
    private let lock: Descriptor

    /// Creates the group. Nil when groups are disabled. Nil, with the cause in the log, when no directory is detected
    /// or no group can be created in it. Throws when no group can be created in the directory that the operator
    /// configured.
    init?(_ placement: ControlGroupPlacement, logger: Logger) throws(LaunchError) {
        switch placement {
        case .none:
            return nil
        case .detected:
            guard let container = Self.ownGroup() else {
                let message =
                    "launches have no control groups: no mounted cgroup v2 hierarchy contains the control group of the"
                    + " host"
                logger.info("\(message)")
                return nil
            }
            Self.enableControllers(in: container, logger: logger)
            do throws(Unusable) {
                try self.init(in: container)
            } catch {
                let message =
                    "launches have no control groups: \(error.reason); delegate a cgroup v2 subtree to the host"
                    + " (Delegate=yes), or write cgroup: none, and restart the host"
                logger.warning("\(message)")
                return nil
            }
        case .under(let container):
            do throws(Unusable) {
                try self.init(in: container)
            } catch {
                throw LaunchError(
                    code: .refused,
                    message:
                        "cgroup: \(error.reason); name a directory of a cgroup v2 hierarchy that the host may write to"
                        + " (a service has one with Delegate=yes), or write \"none\" to disable control groups"
                )
            }
        }
    }

    /// The reason why no groups can be created in a directory.
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
        let directory = try Unusable.unless { () throws(SystemError) in
            try Descriptor(opening: container, flags: O_RDONLY | O_DIRECTORY)
        }
        guard bgl_is_cgroup(directory.number) == 1 else {
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
        // The owner of the container decides which controllers it has; none is required.
        for controller in Self.limiting {
            _ = bgl_write_file(AT_FDCWD, "\(path)/cgroup.subtree_control", "+\(controller)")
        }
    }

    /// The controllers of the groups that are created in this group.
    var controllers: Set<String> { Self.controllers(in: path) }

    static func controllers(in path: String) -> Set<String> {
        let text = FileBytes.text("\(path)/cgroup.subtree_control", limit: 4096) ?? ""
        return Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }

    func makeGroup(named name: String) throws(SystemError) -> ControlGroup {
        try ControlGroup(creating: "\(path)/\(name)")
    }

    func remove() {
        _ = ControlGroup(path: path).remove()
    }

    /// The control groups of dead hosts beside this one, in the directory `container`. Each contains the groups of its
    /// host's launches.
    func leftovers() -> [ControlGroup] {
        DirectoryNames.directories(in: container).compactMap { name in
            let path = "\(container)/\(name)"
            guard name.hasPrefix(Self.prefix), path != self.path,
                let directory = try? Descriptor(opening: path, flags: O_RDONLY | O_DIRECTORY),
                bgl_lock(directory.number) == 0
            else { return nil }
            return ControlGroup(path: path)
        }
    }

    /// Directory of the host's own group in the unified hierarchy; nil when no readable mount contains it.
    private static func ownGroup() -> String? {
        guard let groups = FileBytes.text("/proc/self/cgroup"), let mounts = FileBytes.text("/proc/self/mountinfo"),
            let own = groups.split(separator: "\n").first(where: { $0.hasPrefix("0::") })?.dropFirst(3)
        else { return nil }
        return ownGroup(own: String(own), mounts: mounts)
    }

    /// Directory of the host's own group; nil when no mount contains it.
    ///
    /// - Parameters:
    ///   - own: path of the group in the hierarchy.
    ///   - mounts: contents of `/proc/self/mountinfo`.
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
