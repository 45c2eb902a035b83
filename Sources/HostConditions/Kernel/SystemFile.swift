// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// Reads small files in which the kernel and the system publish their state. Not for files of unlimited size.
enum SystemFile {
    static func text(_ path: String, limit: Int = 65536) throws(SystemError) -> String {
        String(decoding: try FileBytes.contents(of: path, limit: limit), as: UTF8.self)
    }

    /// The first line of a file without surrounding spaces; nil when the file is missing, empty or unreadable.
    static func line(_ path: String) -> String? {
        guard let text = try? text(path, limit: 4096) else { return nil }
        return text.split(separator: "\n", maxSplits: 1).first.map { String($0).trimmingSpaces }
    }

    static func number(_ path: String) -> Int? { line(path).flatMap { Int($0) } }

    /// The names in a directory, sorted.
    static func names(in path: String) throws(SystemError) -> [String] { try FilePlace.entries(of: path) }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

extension String {
    fileprivate var trimmingSpaces: String {
        var rest = Substring(self)
        while rest.last?.isWhitespace == true { rest.removeLast() }
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        return String(rest)
    }
}
