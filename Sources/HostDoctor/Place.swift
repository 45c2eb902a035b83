// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Directories in which missing files would be created.
enum Place {
    /// The nearest directory above `path` that exists.
    static func nearest(to path: String) -> String {
        var place = path
        repeat { place = parent(of: place) } while access(place, F_OK) != 0 && place != "/"
        return place
    }

    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}

/// Account names of user numbers.
enum Account {
    static func name(of user: UInt32) -> String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
    }
}
