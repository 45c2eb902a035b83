// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc

/// Reads files completely, up to a limit.
package enum FileBytes {
    package static func read(_ path: String, limit: Int) -> [UInt8]? { try? contents(of: path, limit: limit) }

    package static func contents(of path: String, limit: Int) throws(SystemError) -> [UInt8] {
        var count = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            count = bgl_read_file(AT_FDCWD, path, buffer.baseAddress, limit)
            filled = max(0, count)
        }
        if count < 0 { throw SystemError(number: Int32(-count), attempt: "read \(path)") }
        return bytes
    }

    package static func text(_ path: String, limit: Int = 65536) -> String? {
        read(path, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }
}
