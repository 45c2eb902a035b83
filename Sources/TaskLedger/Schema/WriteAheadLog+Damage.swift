// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

extension WriteAheadLog {
    /// Damage in the middle of a log: SQLite would ignore the commits behind it, although they were acknowledged.
    struct Damage: Hashable {
        /// The number of the damaged frame, from 1.
        let frame: Int
        /// The number of transactions before the damage.
        let transactions: Int
    }

    /// The damage that hides acknowledged commits; nil without damage, without a file, and without a valid header.
    ///
    /// A power failure may leave an incomplete last transaction, which was never acknowledged. Damage differs from it:
    /// a frame behind the end of a transaction is written only after that transaction is on disk (`Ledger.prepare`
    /// ensures this for the first one). Such a frame continues the checksum of the end. Damage in the last transaction,
    /// or in the checksum at the end of the last but one, looks like an incomplete transaction and is not found. A log
    /// that was cut off is not found either.
    func damage() throws(LedgerError) -> Damage? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT { return nil }
            throw .cannotOpen(path, errno: errno)
        }
        defer { close(descriptor) }
        guard let frames = LogFrames(descriptor) else { return nil }
        var (index, transactions) = (0, 0)
        var sums = frames.firstSums
        while let frame = frames.frame(at: index), frame.salts == frames.salts,
            frame.continued(from: sums) == frame.sums
        {
            sums = frame.sums
            if frame.endsTransaction { transactions += 1 }
            index += 1
        }
        let damaged = index
        while let frame = frames.frame(at: index) {
            index += 1
            guard frame.salts == frames.salts, frame.endsTransaction, let next = frames.frame(at: index) else {
                continue
            }
            if next.salts == frames.salts, next.continued(from: frame.sums) == next.sums {
                return Damage(frame: damaged + 1, transactions: transactions)
            }
        }
        return nil
    }
}

/// The frames of a log with a valid header.
private struct LogFrames {
    private static let headerLength = 32
    /// The page sizes of SQLite, in bytes.
    private static let pageSizes = 512...65_536

    let salts: SIMD2<UInt32>
    /// The checksum in the header of the log. The checksum of the first frame is continued from it.
    let firstSums: SIMD2<UInt32>
    private let descriptor: CInt
    private let pageSize: Int
    private let isBigEndian: Bool

    init?(_ descriptor: CInt) {
        var bytes = [UInt8](repeating: 0, count: Self.headerLength)
        guard pread(descriptor, &bytes, bytes.count, 0) == bytes.count else { return nil }
        let words = bytes.withUnsafeBytes { raw in
            (0..<8).map { UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
        }
        guard words[0] & ~1 == 0x377f_0682, Self.pageSizes.contains(Int(words[2])) else { return nil }
        self.descriptor = descriptor
        isBigEndian = words[0] & 1 == 1
        pageSize = Int(words[2])
        salts = SIMD2(words[4], words[5])
        firstSums = SIMD2(words[6], words[7])
    }

    /// The frame with an index from 0; nil behind the end of the file.
    func frame(at index: Int) -> LogFrame? {
        var bytes = [UInt8](repeating: 0, count: LogFrame.headerLength + pageSize)
        let offset = Self.headerLength + index * bytes.count
        guard pread(descriptor, &bytes, bytes.count, offset) == bytes.count else { return nil }
        return LogFrame(bytes: bytes, isBigEndian: isBigEndian)
    }
}

/// A frame: page number, size of the database if the frame ends a transaction, two salts, two checksums, page.
private struct LogFrame {
    static let headerLength = 24

    let bytes: [UInt8]
    /// Whether the checksum reads the words of the frame as big-endian numbers.
    let isBigEndian: Bool

    var endsTransaction: Bool { words(at: 4)[0] != 0 }
    var salts: SIMD2<UInt32> { words(at: 8) }
    var sums: SIMD2<UInt32> { words(at: 16) }

    /// The checksum of page number, database size and page, continued from an earlier checksum.
    func continued(from earlier: SIMD2<UInt32>) -> SIMD2<UInt32> {
        bytes.withUnsafeBytes { raw in
            var (first, second) = (earlier[0], earlier[1])
            func add(_ range: Range<Int>) {
                var offset = range.lowerBound
                while offset < range.upperBound {
                    let (left, right) = (
                        raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
                        raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
                    )
                    first &+= (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
                    second &+= (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
                    offset += 8
                }
            }
            add(0..<8)
            add(Self.headerLength..<raw.count)
            return SIMD2(first, second)
        }
    }

    private func words(at offset: Int) -> SIMD2<UInt32> {
        bytes.withUnsafeBytes { raw in
            SIMD2(
                UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)),
                UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
            )
        }
    }
}
