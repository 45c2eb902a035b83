// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import TaskModel

/// A path that the manifest of a plugin on trial grants, and the reason why the plugin cannot use it.
package struct GrantedPath: Hashable, Sendable {
    package enum Obstacle: Hashable, Sendable {
        case missing
        /// The first file on the way to the path that refuses the user.
        case refused(by: String)
    }

    package let path: String
    /// The key of the grant: `read`, `write`, `execute` or `unix`.
    package let key: String
    /// The reason why the user of the trial cannot use the path; nil when the user can.
    package let obstacle: Obstacle?

    /// The paths of the grants that are not refused, each with the reason why the user of the trial cannot use it.
    static func all(of grants: [LimitedGrant], for access: UserAccess) -> [GrantedPath] {
        grants.filter { !$0.isRefused }.flatMap { grant in
            grant.places.map { place in
                GrantedPath(
                    path: place.path,
                    key: grant.name.key,
                    obstacle: obstacle(to: place.path, grant.name, access)
                )
            }
        }
    }

    private static func obstacle(to path: String, _ name: LimitedGrant.Name, _ access: UserAccess) -> Obstacle? {
        var status = stat()
        let exists = stat(path, &status) == 0
        let needed = rights(of: name, isDirectory: exists && status.st_mode & S_IFMT == S_IFDIR)
        if exists { return access.obstacle(to: path, needed).map { .refused(by: $0) } }
        // A grant for a file that does not exist yet opens its directory.
        let directory = FilePlace.directory(of: path)
        guard name == .path(.write), FilePlace.exists(directory) else { return .missing }
        return access.obstacle(to: directory, UserAccess.write | UserAccess.execute).map { .refused(by: $0) }
    }

    private static func rights(of name: LimitedGrant.Name, isDirectory: Bool) -> mode_t {
        let ofFile =
            switch name {
            case .path(.write), .unix: UserAccess.write
            case .path(.execute): UserAccess.execute
            default: UserAccess.read
            }
        return isDirectory ? ofFile | UserAccess.execute : ofFile
    }
}
