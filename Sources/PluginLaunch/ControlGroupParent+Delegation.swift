// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging

/// The controllers of a control group and the processes in it, as the kernel lists them.
struct ControlGroupState: Hashable {
    /// The controllers that the group's owner has delegated to the group.
    let offered: Set<String>
    /// The controllers that this group enables for the groups in it (`cgroup.subtree_control`).
    let enabled: Set<String>
    let members: Set<Int32>

    /// The step that gives the groups in this group the controllers that limit launches.
    enum Step: Hashable {
        case none
        /// Enable the controllers.
        case enable(Set<String>)
        /// Move the host into a group in this group, and then enable the controllers: the kernel enables no controller
        /// while the group itself contains a process.
        case moveAndEnable(Set<String>)
        /// The group contains processes other than the host, which are not moved; `others` is their number.
        case leave(others: Int)
    }

    /// The step that is needed so that the groups in this group get all delegated controllers that limit launches.
    ///
    /// - Parameters:
    ///   - host: process number of the host.
    ///   - isRoot: whether this is the root of the hierarchy, in which processes do not prevent controllers.
    func step(host: Int32, isRoot: Bool) -> Step {
        let missing = ControlGroupParent.limiting.intersection(offered).subtracting(enabled)
        if missing.isEmpty { return .none }
        if isRoot || members.isEmpty { return .enable(missing) }
        return members == [host] ? .moveAndEnable(missing) : .leave(others: members.subtracting([host]).count)
    }
}

extension ControlGroupParent {
    /// The controllers that limit launches, and `io`, which counts the bytes that they write.
    static let limiting: Set = ["memory", "pids", "cpu", "io"]

    /// Name of the group that contains the host alone. It has no `prefix`: it is no group of launches.
    static let hostGroup = "host"

    /// Enables the controllers that limit launches in the subgroups of the host's own group, as far as its owner has
    /// delegated them, such as a service manager with `Delegate=yes`. Failures only leave out limits: `host status`
    /// reports these as not enforced.
    ///
    /// - Parameter container: directory of the host's own control group.
    static func enableControllers(in container: String, logger: Logger) {
        switch state(of: container).step(host: getpid(), isRoot: isRoot(container)) {
        case .none:
            return
        case .enable(let controllers):
            enable(controllers, in: container)
        case .moveAndEnable(let controllers):
            let group = "\(container)/\(hostGroup)"
            let isMade = mkdir(group, 0o755) == 0 || errno == EEXIST
            // 0 is the writing process, with all its threads.
            guard isMade, bgl_write_file(AT_FDCWD, "\(group)/cgroup.procs", "0") == 0 else {
                let message =
                    "the control groups of launches lack controllers, so some limits may not be enforced: the host"
                    + " cannot move into the control group \(group)"
                logger.info("\(message)")
                return
            }
            enable(controllers, in: container)
        case .leave(let others):
            let processes = others == 1 ? "another process" : "\(others) other processes"
            let message =
                "the control groups of launches lack controllers, so some limits may not be enforced: the control"
                + " group \(container) of the host also contains \(processes); start the host in a group of its own, as"
                + " its unit does"
            logger.info("\(message)")
        }
    }

    private static func enable(_ controllers: Set<String>, in container: String) {
        for controller in controllers {
            _ = bgl_write_file(AT_FDCWD, "\(container)/cgroup.subtree_control", "+\(controller)")
        }
    }

    static func state(of group: String) -> ControlGroupState {
        ControlGroupState(
            offered: words("\(group)/cgroup.controllers"),
            enabled: controllers(in: group),
            members: Set(words("\(group)/cgroup.procs").compactMap { Int32($0) })
        )
    }

    /// Only the root of the hierarchy has no file `cgroup.type`.
    private static func isRoot(_ group: String) -> Bool { access("\(group)/cgroup.type", F_OK) != 0 }

    private static func words(_ path: String) -> Set<String> {
        let text = FileBytes.text(path, limit: 1 << 20) ?? ""
        return Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }
}
