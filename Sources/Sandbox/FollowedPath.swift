// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The result of following a path as the kernel does, one name at a time.
enum FollowedPath: Equatable {
    /// Maximum number of symbolic links on the way of one path, as in the kernel.
    private static let maximumLinks = 40

    /// The path without symbolic links.
    case end(String)
    /// The first symbolic link that a user who is not trusted owns.
    case foreignLink(String)
    /// A name on the way does not exist or cannot be read, or there are too many links.
    case lost

    /// Follows an absolute path.
    ///
    /// - Parameter trusted: the users whose symbolic links are followed.
    static func follow(_ path: String, trusting trusted: Set<uid_t>) -> FollowedPath {
        var remaining = Array(path.split(separator: "/").map(String.init).reversed())
        var way: [String] = []
        var links = 0
        while let name = remaining.popLast() {
            if name == "." { continue }
            if name == ".." {
                _ = way.popLast()
                continue
            }
            let next = "/" + (way + [name]).joined(separator: "/")
            var status = stat()
            guard lstat(next, &status) == 0 else { return .lost }
            guard status.st_mode & S_IFMT == S_IFLNK else {
                way.append(name)
                continue
            }
            guard trusted.contains(status.st_uid) else { return .foreignLink(next) }
            links += 1
            guard links <= maximumLinks, let target = target(of: next) else { return .lost }
            if target.hasPrefix("/") { way = [] }
            remaining += target.split(separator: "/").map(String.init).reversed()
        }
        return .end("/" + way.joined(separator: "/"))
    }

    private static func target(of link: String) -> String? {
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, filled in
            guard let start = buffer.baseAddress else { return }
            start.withMemoryRebound(to: CChar.self, capacity: buffer.count) {
                filled = max(0, readlink(link, $0, buffer.count))
            }
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
