// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Directories whose files only root can exchange, such as `/usr/lib`.
package enum SystemDirectory {
    /// The first directory or symbolic link on the way to `path` that another user than root can change; nil when there
    /// is none.
    ///
    /// A missing directory is no weakness: only root can create it in a directory of root.
    package static func weakness(of path: String) -> String? {
        if let weak = lexicalWeakness(of: path) { return weak }
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        let real = String(cString: resolved)
        return real == path ? nil : lexicalWeakness(of: real)
    }

    /// The first weak component, without resolving symbolic links.
    private static func lexicalWeakness(of path: String) -> String? {
        var place = ""
        for part in [""] + path.split(separator: "/").map(String.init) {
            place = part.isEmpty ? "/" : place == "/" ? "/\(part)" : "\(place)/\(part)"
            var status = stat()
            if lstat(place, &status) != 0 {
                return errno == ENOENT ? nil : place
            }
            if status.st_uid != 0 { return place }
            // The permissions of a symbolic link have no meaning; its directory protects it.
            if status.st_mode & S_IFMT == S_IFLNK { continue }
            let isOpenToGroup = status.st_mode & S_IWGRP != 0 && status.st_gid != 0
            if status.st_mode & S_IWOTH != 0 || isOpenToGroup { return place }
        }
        return nil
    }
}
