// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Reads the bytes of the write-ahead log beside a ledger. SQLite treats an unreadable log as empty and overwrites it;
/// this type distinguishes an unreadable log from an empty one. It never writes.
struct WriteAheadLog {
    enum Contents: Hashable {
        /// There is no log, its header is incomplete or zero, or it contains no frame: it contains no acknowledged
        /// commit.
        case nothing
        /// The log contains frames, because the last host did not close its ledger: some commits may be only in the
        /// log.
        case changes
        /// The file cannot be a log of this ledger; the value is the reason.
        case foreign(String)
    }

    let path: String

    /// Whether the log is empty, contains frames, or cannot belong to this ledger. Reads the header and the size of the
    /// log.
    ///
    /// - Parameter pageSize: page size of the ledger in bytes; nil when the page size of the log is not to be compared.
    func contents(pageSize: Int?) throws(LedgerError) -> Contents {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT { return .nothing }
            throw .cannotOpen(path, errno: errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Header.length)
        let count = read(descriptor, &bytes, bytes.count)
        if count < 0 { throw .cannotOpen(path, errno: errno) }
        // The header is written to disk before the first commit. Without a complete header no commit was ever
        // acknowledged.
        if count < bytes.count || bytes.allSatisfy({ $0 == 0 }) { return .nothing }
        if let problem = Header(bytes: bytes).problem(pageSize: pageSize) { return .foreign(problem) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .cannotOpen(path, errno: errno) }
        return Int(status.st_size) > Header.length ? .changes : .nothing
    }

    /// Number of transactions in the log. Frames after the last transaction are not counted: they belong to an
    /// incomplete transaction, or remain from an earlier use of the file, which SQLite overwrites from the beginning.
    func transactions(pageSize: Int) throws(LedgerError) -> Int {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw .cannotOpen(path, errno: errno) }
        defer { close(descriptor) }
        func words(at offset: Int) -> [UInt32]? {
            var bytes = [UInt8](repeating: 0, count: Frame.headerLength)
            guard pread(descriptor, &bytes, bytes.count, offset) == bytes.count else { return nil }
            return stride(from: 0, to: bytes.count, by: 4).map { start in
                bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
            }
        }
        guard let salts = words(at: Header.saltsOffset)?.prefix(2) else { return 0 }
        var (transactions, offset) = (0, Header.length)
        while let frame = words(at: offset), frame[Frame.salts] == salts {
            if frame[Frame.databaseSize] != 0 { transactions += 1 }
            offset += Frame.headerLength + pageSize
        }
        return transactions
    }

    /// The header of a frame, in words: page number, size of the database if the frame ends a transaction, two salts,
    /// two checksums.
    private enum Frame {
        static let headerLength = 24
        static let databaseSize = 1
        static let salts = 2..<4
    }

    /// The header of the log in SQLite's file format; numbers are big-endian.
    private struct Header {
        static let saltsOffset = 16
        static let length = 32

        let bytes: [UInt8]

        func problem(pageSize: Int?) -> String? {
            guard [0x377f_0682, 0x377f_0683].contains(word(0)), word(1) == 3_007_000 else {
                return "it is not a write-ahead log"
            }
            guard checksum == [word(6), word(7)] else { return "its header is damaged" }
            guard let pageSize, word(2) != pageSize else { return nil }
            return "it belongs to another database: its pages have \(word(2)) bytes, the ledger's have \(pageSize)"
        }

        private func word(_ index: Int, isLittleEndian: Bool = false) -> UInt32 {
            let word = bytes[index * 4..<index * 4 + 4]
            return (isLittleEndian ? Array(word.reversed()) : Array(word)).reduce(0) { $0 << 8 | UInt32($1) }
        }

        /// Checksum of all bytes of the header that precede the stored checksum. The first word of the header gives the
        /// byte order.
        private var checksum: [UInt32] {
            let isLittleEndian = word(0) & 1 == 0
            var sums: (UInt32, UInt32) = (0, 0)
            for pair in 0..<3 {
                sums.0 &+= word(2 * pair, isLittleEndian: isLittleEndian) &+ sums.1
                sums.1 &+= word(2 * pair + 1, isLittleEndian: isLittleEndian) &+ sums.0
            }
            return [sums.0, sums.1]
        }
    }
}
