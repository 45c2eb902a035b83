// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Finds the directories in which missing files would be created.
enum Place {
    /// The nearest existing directory above `path`.
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
