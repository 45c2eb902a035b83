// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Where something that is not there yet would be made.
enum Place {
    /// The nearest folder above `path` that exists.
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

/// People's names for the kernel's numbers.
enum Account {
    static func name(of user: UInt32) -> String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
    }
}
