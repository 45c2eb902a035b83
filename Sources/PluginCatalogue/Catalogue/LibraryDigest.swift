// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Crypto
internal import Glibc
package import PluginBinary

/// Computes the SHA-256 digest of a library's bytes in lower-case hexadecimal, the form in which manifests pin it.
package enum LibraryDigest {
    package static func of(path: String) throws(PluginBinaryProblem) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw PluginBinaryProblem(path: path, kind: .unreadable(errno: errno)) }
        defer { close(descriptor) }
        return try of(descriptor: descriptor, path: path)
    }

    /// The digest of an open file.
    ///
    /// - Parameter descriptor: a descriptor that is open for reading; its position is neither used nor moved.
    static func of(descriptor: CInt, path: String) throws(PluginBinaryProblem) -> String {
        var hash = SHA256()
        var offset: off_t = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, offset)
            if count == 0 { return hash.finalize().hexadecimal }
            if count > 0 {
                buffer.withUnsafeBytes { hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                offset += off_t(count)
            } else if errno != EINTR {
                throw PluginBinaryProblem(path: path, kind: .unreadable(errno: errno))
            }
        }
    }
}
