// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Crypto
import Glibc
import LinuxSystem

/// Computes the SHA-256 digest of a part of a file, in lower-case hexadecimal.
enum MemberDigest {
    private static let chunk = 1 << 20

    /// The digest of the bytes in `range`. Throws when the file ends before, or cannot be read.
    static func of(_ range: Range<Int>, in file: Descriptor, at path: String) throws(SystemError) -> String {
        var hash = SHA256()
        try forEachPart(of: range, in: file, at: path) { hash.update(data: $0) }
        return hash.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// Calls `body` with the bytes in `range`, part by part.
    static func forEachPart(
        of range: Range<Int>,
        in file: Descriptor,
        at path: String,
        _ body: ([UInt8]) throws(SystemError) -> Void
    ) throws(SystemError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = min(chunk, range.upperBound - offset)
            let bytes = try FileBytes.range(of: file.number, from: offset, count: wanted, for: "read \(path)")
            guard bytes.count == wanted else { throw SystemError(number: EIO, attempt: "read all bytes of \(path)") }
            try body(bytes)
            offset += wanted
        }
    }
}
