// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Operations on paths, without opening files.
package enum FilePlace {
    package static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    package static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The path resolved against the working directory.
    package static func absolute(_ path: String) -> String {
        if path.hasPrefix("/") { return path }
        guard let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        var rest = path[...]
        while rest.hasPrefix("./") { rest = rest.dropFirst(2).drop { $0 == "/" } }
        let folder = String(cString: here)
        if rest.isEmpty || rest == "." { return folder }
        return folder == "/" ? "/\(rest)" : "\(folder)/\(rest)"
    }

    /// Whether two paths refer to the same file, after following all links.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(left, &first) == 0, stat(right, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Whether a file exists at the path; a broken link counts too.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Sorted names in a directory, including hidden ones; none when it cannot be read.
    package static func names(in folder: String) -> [String] { (try? entries(of: folder)) ?? [] }

    /// Sorted names in a directory, including hidden ones.
    package static func entries(of folder: String) throws(SystemError) -> [String] {
        guard let stream = opendir(folder) else { throw SystemError(number: errno, attempt: "list \(folder)") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether a regular file, not a link, is at the path.
    package static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
