// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Queries about executable files.
package enum ProgramFile {
    /// Path of this process's executable, independent of the name by which it was called; nil when it cannot be read.
    package static var running: String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }

    package static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
