// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Examines whether other users than the trusted ones can exchange a file: change it, or a directory or a symbolic link
/// on the way to it.
package enum SystemDirectory {
    /// Maximum number of symbolic links on the way to a file, as in the kernel.
    private static let mostLinks = 40

    /// The users who may change the directories on the way to a file.
    package enum Trust: Hashable, Sendable {
        /// Only root: for paths such as `/usr/lib`, where the file may be missing and no other user may create it. A
        /// directory with the sticky bit is therefore not permitted.
        case root
        /// Root and this user, for an existing file. Directories with the sticky bit, such as `/tmp`, are permitted: in
        /// them other users cannot exchange the files of these two users.
        case rootAnd(UInt32)

        fileprivate func includes(_ user: uid_t) -> Bool {
            if user == 0 { return true }
            guard case .rootAnd(let other) = self else { return false }
            return user == other
        }
    }

    /// The first file, directory or symbolic link on the way to `path` that other users than the trusted ones can
    /// change, or that cannot be examined; nil when there is none. The directories of each symbolic link and of its
    /// target are on the way.
    ///
    /// A missing file or directory is no weakness: only trusted users can create it in a directory of theirs. In a
    /// directory with the sticky bit others could create it, so that directory is the weakness.
    package static func weakness(of path: String, trust: Trust = .root) -> String? {
        var walk = Walk(trust, [""] + path.split(separator: "/").map(String.init))
        while !walk.rest.isEmpty {
            switch walk.step() {
            case .trusted: continue
            case .weak(let place): return place
            case .missing: return nil
            }
        }
        return nil
    }

    /// The way from the root directory to a file: its components are examined one by one, each in a directory that only
    /// trusted users can change.
    private struct Walk {
        enum Step {
            case trusted
            case weak(String)
            case missing
        }

        private let trust: Trust
        /// The components that are not examined yet; the empty component is the root directory.
        private(set) var rest: [String]
        /// The examined directories, without symbolic links.
        private var directories: [String] = []
        private var links = 0
        /// The last examined directory, if it has the sticky bit and other users can create files in it; nil otherwise.
        private var shared: String?

        init(_ trust: Trust, _ rest: [String]) { (self.trust, self.rest) = (trust, rest) }

        private var place: String { directories.isEmpty ? "/" : "/" + directories.joined(separator: "/") }

        mutating func step() -> Step {
            let part = rest.removeFirst()
            if part == "." { return .trusted }
            if part == ".." {
                directories = directories.dropLast()
                shared = nil
                return .trusted
            }
            if part.isEmpty { directories = [] } else { directories.append(part) }
            let place = self.place
            var status = stat()
            if lstat(place, &status) != 0 {
                if errno != ENOENT { return .weak(place) }
                return shared.map { .weak($0) } ?? .missing
            }
            if !trust.includes(status.st_uid) { return .weak(place) }
            shared = nil
            // The permissions of a symbolic link have no meaning; its directory protects it.
            if status.st_mode & S_IFMT == S_IFLNK { return follow(place) }
            let isOpenToGroup = status.st_mode & S_IWGRP != 0 && status.st_gid != 0
            guard status.st_mode & S_IWOTH != 0 || isOpenToGroup else { return .trusted }
            let isDirectory = status.st_mode & S_IFMT == S_IFDIR
            guard trust != .root, isDirectory, status.st_mode & S_ISVTX != 0 else { return .weak(place) }
            shared = place
            return .trusted
        }

        private mutating func follow(_ link: String) -> Step {
            links += 1
            guard links <= SystemDirectory.mostLinks, let target = FilePlace.target(of: link) else {
                return .weak(link)
            }
            directories.removeLast()
            let parts = target.split(separator: "/").map(String.init)
            rest = (target.hasPrefix("/") ? [""] : []) + parts + rest
            return .trusted
        }
    }
}
