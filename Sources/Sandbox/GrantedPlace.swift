// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import TaskModel

/// A place that a plugin's grants name, as it is when the launch begins.
enum GrantedPlace: ~Copyable {
    /// The place exists and was opened.
    case place(Place)
    /// The path leads to no file that the plugin's user can reach, so that there is nothing to grant.
    case missing
    /// The grant is left out; the value is the reason with the remedy.
    case refused(String)

    /// Opens a granted place with the rights of the plugin's user. A missing place that the plugin may write is
    /// created: as a directory if its path ends with a slash, else as an empty file, so that the plugin needs no right
    /// to the directory around it.
    ///
    /// - Parameter trusted: users whose symbolic links are followed.
    static func open(
        _ granted: SandboxPlan.Place,
        of plan: SandboxPlan,
        trusting trusted: Set<uid_t>
    ) -> GrantedPlace {
        var status = stat()
        if granted.access == .write, lstat(granted.path, &status) != 0, errno == ENOENT {
            let directory = PathRelation.parent(granted.path)
            guard let place = Place(directory) else { return .missing }
            let name = granted.path.split(separator: "/").last.map(String.init) ?? ""
            if let reason = refusal(of: place, at: directory, adding: name, granted, plan, trusted) {
                return .refused(reason)
            }
            let created = bgl_create_place(place.descriptor, name, granted.path.hasSuffix("/") ? 1 : 0)
            if created < 0, created != -EEXIST {
                return .refused(
                    "\(granted.path) is not granted: it does not exist, and \(directory) refuses to create it:"
                        + " \(String(cString: strerror(-created))); create it, and give the plugin's user access to it"
                )
            }
        }
        guard let place = Place(granted.path) else { return .missing }
        if let reason = refusal(of: place, at: granted.path, adding: nil, granted, plan, trusted) {
            return .refused(reason)
        }
        return .place(place)
    }

    /// The reason why a grant is left out, with the remedy; nil when it is effective. The grant is for the open place
    /// or, if `name` is not nil, for a file of that name that is to be created in the place.
    private static func refusal(
        of place: borrowing Place,
        at path: String,
        adding name: String?,
        _ granted: SandboxPlan.Place,
        _ plan: SandboxPlan,
        _ trusted: Set<uid_t>
    ) -> String? {
        guard let opened = place.resolvedPath else {
            return "\(path) is not granted: /proc/self/fd does not show its path without symbolic links; mount /proc"
        }
        let target = name.map { opened == "/" ? "/\($0)" : "\(opened)/\($0)" } ?? opened
        if let host = plan.reserved.first(where: { PathRelation.overlaps($0, target) }) {
            return "\(granted.path) is not granted: it leads to \(target), and \(host) belongs to the host;"
                + " grant a place that is neither in nor above \(host)"
        }
        // Limits of the operator, and directories in which an earlier launch may have put a symbolic link.
        let writable = plan.granted.filter { $0.access == .write && $0.path != granted.path }.map(\.path)
        for limit in granted.within + writable.filter({ PathRelation.contains($0, granted.path) }) {
            let isOfOperator = granted.within.contains(limit)
            guard let real = Place(limit)?.resolvedPath else {
                return isOfOperator
                    ? "\(granted.path) is not granted: \(limit), to which grant-limits narrows it, does not exist;"
                        + " create it, or limit the grant to the directory in which the plugin creates it"
                    : "\(granted.path) is not granted: \(limit), which the plugin may write, is missing; create it"
            }
            if PathRelation.contains(real, target) { continue }
            return "\(granted.path) is not granted: it leads to \(target), outside of \(limit);"
                + " replace the symbolic link, or grant \(target)"
                + (isOfOperator ? " and add it to grant-limits, which narrows the grant to \(limit)" : "")
        }
        return foreignLink(on: path, to: opened, trusted).map { link in
            "\(granted.path) is not granted: a plugin could have put the symbolic link \(link) there;"
                + " grant \(target), or let root own the link"
        }
    }

    /// The first symbolic link on `path` that belongs to a user who is not trusted; nil if there is none. `path` itself
    /// when it no longer leads to the open place, whose path without links is `opened`.
    private static func foreignLink(on path: String, to opened: String, _ trusted: Set<uid_t>) -> String? {
        switch FollowedPath.follow(path, trusting: trusted) {
        case .foreignLink(let link): link
        case .end(let end): end == opened ? nil : path
        case .lost: path
        }
    }
}
