// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// Reads values in the binary format of SSH (RFC 4251): numbers in network order, and strings with their length.
///
/// Every read is bounded by the remaining bytes.
struct WireReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) throws(SignatureProblem) -> [UInt8] {
        guard count >= 0, count <= rest.count else { throw .malformed("a field of its decoded base64 is incomplete") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func number() throws(SignatureProblem) -> UInt32 {
        try bytes(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    mutating func string() throws(SignatureProblem) -> [UInt8] { try bytes(Int(try number())) }

    /// Reads a string of at most 255 printable ASCII characters without spaces, as names of algorithms are.
    mutating func name() throws(SignatureProblem) -> String {
        let bytes = try string()
        guard bytes.count <= 255, bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .malformed("a name in its decoded base64 is longer than 255 bytes or not printable ASCII")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a non-negative integer (mpint) as `count` bytes.
    mutating func integer(ofBytes count: Int) throws(SignatureProblem) -> [UInt8] {
        let bytes = try string()
        guard bytes.first.map({ $0 < 0x80 }) ?? true else {
            throw .malformed("a number of its ECDSA value is negative")
        }
        let digits = bytes.drop { $0 == 0 }
        guard digits.count <= count else { throw .malformed("a number of its ECDSA value is too large") }
        return Array(repeating: 0, count: count - digits.count) + digits
    }
}

/// Writes values in the binary format of SSH.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(_ raw: some Sequence<UInt8>) { bytes += raw }

    mutating func append(string: some Collection<UInt8>) {
        let count = UInt32(clamping: string.count)
        bytes += [UInt8(count >> 24), UInt8(count >> 16 & 0xff), UInt8(count >> 8 & 0xff), UInt8(count & 0xff)]
        bytes += string
    }
}
