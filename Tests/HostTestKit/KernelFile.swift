// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation

/// Reads files of the kernel, which report no size and return one page per read: Foundation stops after the first page.
package enum KernelFile {
    /// The complete text of a file; empty for a file that cannot be opened.
    package static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
