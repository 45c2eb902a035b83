// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc

/// Reads small files of the kernel completely, up to a limit.
package enum FileBytes {
    package static func read(_ path: String, limit: Int) -> [UInt8]? {
        var count = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            count = bgl_read_file(AT_FDCWD, path, buffer.baseAddress, limit)
            filled = max(0, count)
        }
        return count < 0 ? nil : bytes
    }

    package static func text(_ path: String, limit: Int = 65536) -> String? {
        read(path, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }
}
