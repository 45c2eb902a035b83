// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux

/// One message of a datagram from the kernel. A truncated message or a wrong length ends the parsing of the datagram,
/// because the bytes behind it cannot be interpreted.
struct NetlinkMessage {
    let type: UInt16
    let flags: UInt16
    let body: ArraySlice<UInt8>

    static func all(in bytes: ArraySlice<UInt8>) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = bytes
        while let header = rest.value(of: nlmsghdr.self) {
            let length = Int(header.nlmsg_len)
            guard length >= MemoryLayout<nlmsghdr>.size, length <= rest.count else { break }
            let body = rest.prefix(length).dropFirst(MemoryLayout<nlmsghdr>.size)
            messages.append(NetlinkMessage(type: header.nlmsg_type, flags: header.nlmsg_flags, body: body))
            rest = rest.dropFirst(length.aligned)
        }
        return messages
    }
}

/// The attributes of a message, which follow its fixed part.
struct NetlinkAttributes {
    private var values: [UInt16: ArraySlice<UInt8>] = [:]

    init(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while let header = rest.value(of: rtattr.self) {
            let length = Int(header.rta_len)
            guard length >= MemoryLayout<rtattr>.size, length <= rest.count else { break }
            // The highest two bits are flags about the encoding of the value.
            values[header.rta_type & 0x3fff] = rest.prefix(length).dropFirst(MemoryLayout<rtattr>.size)
            rest = rest.dropFirst(length.aligned)
        }
    }

    func bytes(_ type: Int) -> ArraySlice<UInt8>? { values[UInt16(type)] }
    func number(_ type: Int) -> UInt32? { bytes(type)?.value(of: UInt32.self) }

    func text(_ type: Int) -> String? {
        bytes(type).map { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension ArraySlice<UInt8> {
    /// The value in the first bytes of the slice, in the machine's byte order; nil when the slice has too few bytes.
    func value<Value: BitwiseCopyable>(of type: Value.Type) -> Value? {
        guard count >= MemoryLayout<Value>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(as: type) }
    }
}

extension Int {
    /// The number rounded up to a multiple of four, the alignment of messages and attributes.
    var aligned: Int { (self + 3) & ~3 }
}
