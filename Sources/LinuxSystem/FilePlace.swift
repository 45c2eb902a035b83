// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Operations on paths. They read file status, symbolic links and directories, and open no files.
package enum FilePlace {
    package static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    package static func directory(of path: String) -> String {
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
        let directory = String(cString: here)
        if rest.isEmpty || rest == "." { return directory }
        return directory == "/" ? "/\(rest)" : "\(directory)/\(rest)"
    }

    /// Whether two paths lead to the same file, after symbolic links are resolved. False when the status of one file
    /// cannot be read.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        var (first, second) = (stat(), stat())
        guard stat(left, &first) == 0, stat(right, &second) == 0 else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// Whether a file exists at the path; a broken symbolic link counts as a file.
    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// The target of a symbolic link as the link contains it; nil when it cannot be read, is not UTF-8, or has
    /// `PATH_MAX` bytes or more.
    package static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { readlink(link, $0, bytes.count) } ?? -1
        }
        guard count > 0, count < buffer.count else { return nil }
        return String(validating: buffer.prefix(count), as: UTF8.self)
    }

    /// Names in a directory, sorted, including hidden ones; empty when the directory cannot be opened or read.
    package static func names(in directory: String) -> [String] { (try? entries(of: directory)) ?? [] }

    /// Names in a directory, sorted, including hidden ones. Throws when the directory cannot be opened or read.
    ///
    /// - Parameter limit: maximum number of names; of more, any ones are returned.
    package static func entries(of directory: String, atMost limit: Int = .max) throws(SystemError) -> [String] {
        guard let stream = opendir(directory) else { throw SystemError(number: errno, attempt: "list \(directory)") }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < limit {
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw SystemError(number: errno, attempt: "list \(directory)") }
                break
            }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Whether there is a regular file at the path, not a symbolic link.
    package static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether there is a directory at the path, not a symbolic link.
    package static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
