// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// A directory of logs with numbered lines, so that a missing line is detected.
struct LogDirectory {
    static let lineLength = 64

    let path: String

    /// Runs `body` with a new directory, which is deleted afterwards.
    ///
    /// - Parameter place: a directory on the file system to use.
    static func with<Result>(in place: String = "/tmp", _ body: (LogDirectory) async throws -> Result) async throws
        -> Result
    {
        var template = Array("\(place)/bgt-logs-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw HostFailure("cannot make a directory in \(place)") }
        let directory = LogDirectory(path: String(cString: made))
        defer { try? FileManager.default.removeItem(atPath: directory.path) }
        return try await body(directory)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ name: String, lines count: Int) throws {
        try Self.lines(0..<count).write(to: URL(filePath: file(name)))
    }

    static func lines(_ numbers: Range<Int>) -> Data {
        let rest = String(repeating: ".", count: lineLength - 10)
        var data = Data(capacity: numbers.count * lineLength)
        for number in numbers { data.append(Data("\(10_000_000 + number) \(rest)\n".utf8)) }
        return data
    }

    func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: file(name))) }

    func status(_ name: String) throws -> stat {
        var status = stat()
        guard lstat(file(name), &status) == 0 else { throw HostFailure("there is no \(file(name))") }
        return status
    }

    /// The disk space of the file in bytes, or the file's length if that is less.
    func size(_ name: String) throws -> Int64 {
        let status = try status(name)
        return min(Int64(status.st_size), Int64(status.st_blocks) * 512)
    }

    /// The numbers of the remaining lines of a file. Zero bytes, spaces and line ends before the first line are
    /// skipped. Throws `HostFailure` for a partial line.
    func lines(_ name: String) throws -> [Int] {
        let text = try bytes(name).drop { $0 == 0 || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard text.count.isMultiple(of: Self.lineLength) else { throw HostFailure("\(name) holds a part of a line") }
        return try stride(from: text.startIndex, to: text.endIndex, by: Self.lineLength).map { start in
            let line = text[start..<start + Self.lineLength]
            guard line.last == UInt8(ascii: "\n"), let words = String(bytes: line.prefix(8), encoding: .ascii),
                let number = Int(words)
            else { throw HostFailure("\(name) holds a line that is not whole") }
            return number - 10_000_000
        }
    }
}
