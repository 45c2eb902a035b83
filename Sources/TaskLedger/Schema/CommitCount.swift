// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// Reads the number of committed groups from the database file alone, without the write-ahead log. It parses the bytes
/// of the file itself, because a read through SQLite always includes the log.
struct CommitCount {
    let path: String
    let pageSize: Int
    /// Number of the page with the table `counter`, from 1.
    let page: Int

    /// The number of groups of commits that the database file contains; nil when the page cannot be read, or does not
    /// consist of the single row of the table `counter`.
    func read() throws(LedgerError) -> Int64? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw .cannotOpen(path, errno: errno) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: pageSize)
        guard pread(descriptor, &bytes, pageSize, (page - 1) * pageSize) == pageSize else { return nil }
        return Self.commits(in: bytes)
    }

    /// Parses the number of commit groups from a page in SQLite's file format: a table leaf with one cell. Nil for any
    /// other page. The cell contains the length of the row, the key 1, the length of the record's header, a type per
    /// column, and the values of the columns. The number is the second column, `commits`, and the first column whose
    /// value occupies bytes.
    static func commits(in page: [UInt8]) -> Int64? {
        guard page.count >= 512, page[0] == 0x0d, page[3] == 0, page[4] == 1 else { return nil }
        let cell = Int(page[8]) << 8 | Int(page[9])
        guard cell + 5 < page.count, page[cell] < 0x80, page[cell + 1] == 1, page[cell + 2] < 0x80 else { return nil }
        guard page[cell + 3] == 0 else { return nil }
        let start = cell + 2 + Int(page[cell + 2])
        switch page[cell + 4] {
        case 8: return 0
        case 9: return 1
        case let type:
            let lengths = [1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8] as [UInt8: Int]
            guard let length = lengths[type], start + length <= page.count else { return nil }
            let negative: Int64 = page[start] & 0x80 == 0 ? 0 : -1
            return page[start..<start + length].reduce(negative) { $0 << 8 | Int64($1) }
        }
    }
}
