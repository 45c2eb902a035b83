// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Conversion of strings that cross the ABI, in both directions (BGT-ABI-07). Bytes are copied at once; no address is
/// kept.
package enum ForeignText {
    /// The string at `address`; nil when it is longer than `limit` bytes or not UTF-8. Reads at most one byte beyond
    /// the limit.
    package static func read(_ address: UnsafePointer<CChar>, limit: Int) -> String? {
        let count = strnlen(address, limit + 1)
        guard count <= limit else { return nil }
        return String(
            validating: UnsafeBufferPointer(start: address, count: count).map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
    }

    /// The string at `address`, cut after the last whole Unicode scalar within `limit` bytes. Invalid UTF-8 is
    /// replaced.
    package static func readRepaired(_ address: UnsafePointer<CChar>, limit: Int) -> String {
        let count = strnlen(address, limit)
        let bytes = UnsafeRawBufferPointer(start: address, count: count)
        // A scalar cut in two would be repaired into a replacement character.
        let end = count < limit ? count : wholeCharacters(in: bytes)
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// The longest prefix of `text` with at most `limit` bytes that ends after a whole Unicode scalar. It may cut a
    /// character of several scalars.
    package static func prefix(of text: String, limit: Int) -> String {
        var text = text
        return text.withUTF8 { bytes in
            if bytes.count <= limit { return String(decoding: bytes, as: UTF8.self) }
            let cut = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<limit])
            return String(decoding: cut[..<wholeCharacters(in: cut)], as: UTF8.self)
        }
    }

    package enum Copy: Hashable, Sendable {
        case whole
        case truncated
        case invalid
    }

    /// Copies a string with two-call sizing: `needed` is set to its size in bytes with the NUL. A buffer that is too
    /// small receives an empty string. NULL with a capacity above 0 is invalid, and nothing is set.
    package static func write(
        _ text: String,
        to buffer: UnsafeMutablePointer<CChar>?,
        capacity: UInt64,
        needed: UnsafeMutablePointer<UInt64>?
    ) -> Copy {
        if buffer == nil && capacity > 0 { return .invalid }
        let size = UInt64(text.utf8.count) + 1
        needed?.pointee = size
        guard let buffer, capacity >= size else {
            if let buffer, capacity > 0 { buffer.pointee = 0 }
            return .truncated
        }
        text.withCString { buffer.update(from: $0, count: Int(size)) }
        return .whole
    }

    /// Number of bytes before an incomplete Unicode scalar at the end; all bytes without one.
    private static func wholeCharacters(in bytes: UnsafeRawBufferPointer) -> Int {
        // The incomplete last scalar has at most three bytes before the cut.
        var start = bytes.count
        while start > 0, bytes.count - start < 4 {
            start -= 1
            let byte = bytes[start]
            if byte & 0b1100_0000 == 0b1000_0000 { continue }
            let length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
            return bytes.count - start < length ? start : bytes.count
        }
        return bytes.count
    }
}
