// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Builds one frame: a `UInt32` with the length of the rest, a `UInt16` with the type, then the fields, all
/// little-endian. It checks only the total length.
package struct FrameWriter {
    private var bytes: [UInt8]

    init(type: UInt16) {
        bytes = []
        bytes.reserveCapacity(128)
        put(0 as UInt32)
        put(type)
    }

    mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ flag: Bool) { put(flag ? 1 : 0 as UInt8) }

    mutating func put<Value: RawRepresentable>(_ value: Value) where Value.RawValue: FixedWidthInteger {
        put(value.rawValue)
    }

    mutating func put(text: String) {
        putCount(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func put(bytes added: [UInt8]) {
        putCount(added.count)
        bytes.append(contentsOf: added)
    }

    mutating func put<Element>(list: [Element], each put: (inout Self, Element) -> Void) {
        putCount(list.count)
        for element in list { put(&self, element) }
    }

    /// The whole frame, with its length filled in. Throws when the frame exceeds `limit` bytes after its length field.
    consuming func finished(limit: Int) throws(WireError) -> [UInt8] {
        let length = bytes.count - FrameLayout.lengthSize
        guard length <= limit else {
            throw WireError(code: .tooLong, message: "the message has \(length) bytes; at most \(limit) are allowed")
        }
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: length).littleEndian) {
            bytes.replaceSubrange(..<FrameLayout.lengthSize, with: $0)
        }
        return bytes
    }

    // A count that does not fit yields a frame beyond every limit, which `finished` refuses.
    private mutating func putCount(_ count: Int) { put(UInt32(clamping: count)) }
}

enum FrameLayout {
    static let lengthSize = 4
}
